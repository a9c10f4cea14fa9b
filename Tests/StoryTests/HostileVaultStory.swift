import CueTestSupport
import Foundation
import Testing

/// What somebody with the key adds to a vault, against every command and the independent reader
/// (`tools/fuzz-vault.py`).
@Suite("A vault that somebody with its key works on")
struct HostileVaultStory {
    /// Directed cases of the tool that a debug build gets through in a moment.
    static let cases = [
        "nothing,twin,twin_empty,twin_short,twin_own_device",
        "commit_times,commit_time_missing,edited,device_times,heads_at_the_ends",
        "sizes_of_members,sizes_beyond,mtimes,checkpoint_numbers,generations",
        "pack_lie_low,pack_lie_size,chunk_lie_low,chunk_lie_length,pack_footer_far",
        "foreign_parent,self_parent,cycle,delta_circle,checkpoint_lies",
        "frames,frames_kept,checkpoint_frames,runs,event_bomb",
    ]

    @Test(
        "Every command and the other reader come to an end, in bounded memory, and none says that all is well",
        .enabled(if: Machine.python != nil, "CUE_PYTHON names no Python with the reader's packages"), arguments: cases)
    func directed(_ names: String) throws {
        let result = try Running(
            try #require(Machine.python),
            [
                Project.root + "/tools/fuzz-vault.py", "--cue", Cue.binary, "--only", names, "--seed", "1", "--seconds",
                "120",
                "--memory", "400",
            ]
        ).result(deadline: 3_600)

        #expect(result.code == 0, "\(result.text)\(result.errors)")
    }
}
