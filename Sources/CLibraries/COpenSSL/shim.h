#include <openssl/evp.h>

// EVP_CTRL_AEAD_* reach EVP_CIPHER_CTX_ctrl through macros that Swift cannot see.
static inline int cue_evp_set_tag(EVP_CIPHER_CTX *context, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag);
}
static inline int cue_evp_get_tag(EVP_CIPHER_CTX *context, void *tag) {
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}
