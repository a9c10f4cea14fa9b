/// Draws one layer: a box for each module, in it its rooms with their files, and an arc for each file that uses another
/// of its module.
///
/// Files that use most stand on top, so every arc leads down, and one that leads up is part of a circle: it is red.
struct HouseDrawing {
    private static let (row, roomHead, moduleHead, gap) = (15, 24, 34, 26)
    private static let width = 250
    private static let arcs = 150
    private static let perLine = 4

    private let house: House
    private let layer: String
    private let depths: [Int]
    private var out: [String] = []
    private var positions: [Int: (x: Int, y: Int)] = [:]

    init(_ house: House, layer: String) {
        (self.house, self.layer, depths) = (house, layer, house.depths)
    }

    /// An SVG.
    mutating func draw() -> String {
        let modules = Dictionary(grouping: house.files.indices.filter { house.files[$0].layer == layer }) {
            house.files[$0].module
        }.sorted { $0.key < $1.key }
        var (x, y, bottom, widest) = (20, 20, 20, 0)
        for (number, (module, files)) in modules.enumerated() {
            if number > 0, number % Self.perLine == 0 { (x, y) = (20, bottom + 30) }
            bottom = max(bottom, draw(module, files, x, y))
            x += Self.width + Self.arcs + Self.gap
            widest = max(widest, x)
        }
        for file in positions.keys.sorted() { drawArcs(of: file) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(widest)" height="\(bottom + 20)" font-family="sans-serif">
            <style>text{font-size:11px;fill:#222} .m{font-size:15px;font-weight:bold} .r{font-size:12px;font-weight:bold;\
            fill:#555} rect{fill:#f6f6f3;stroke:#bbb} .room{fill:#fff} path{fill:none;stroke:#3a6ea5;stroke-opacity:.35} \
            .up{stroke:#c00;stroke-opacity:1}</style>
            <rect width="100%" height="100%" style="fill:#fff;stroke:none"/>
            \(out.joined(separator: "\n"))
            </svg>

            """
    }

    private mutating func draw(_ module: String, _ files: [Int], _ x: Int, _ top: Int) -> Int {
        let rooms = Dictionary(grouping: files) { house.files[$0].room }.sorted { one, other in
            let (a, b) = (mean(one.value), mean(other.value))
            return a == b ? one.key < other.key : a > b
        }
        let height = Self.moduleHead + rooms.reduce(0) { $0 + Self.roomHead + $1.value.count * Self.row + 8 }
        out.append(#"<rect x="\#(x)" y="\#(top)" width="\#(Self.width)" height="\#(height)" rx="4"/>"#)
        out.append(#"<text class="m" x="\#(x + 10)" y="\#(top + 22)">\#(module) (\#(files.count))</text>"#)
        var y = top + Self.moduleHead
        for (room, files) in rooms {
            let size = Self.roomHead + files.count * Self.row
            out.append(
                #"<rect class="room" x="\#(x + 6)" y="\#(y)" width="\#(Self.width - 12)" height="\#(size)" rx="3"/>"#)
            let title = room.isEmpty ? "–" : room
            out.append(#"<text class="r" x="\#(x + 12)" y="\#(y + 16)">\#(title) (\#(files.count))</text>"#)
            y += Self.roomHead
            for file in files.sorted(by: { (-depths[$0], house.files[$0].name) < (-depths[$1], house.files[$1].name) })
            {
                positions[file] = (x + Self.width - 6, y + 7)
                out.append(#"<text x="\#(x + 18)" y="\#(y + 11)">\#(house.files[file].name)</text>"#)
                y += Self.row
            }
            y += 8
        }
        return top + height
    }

    private func mean(_ files: [Int]) -> Double { Double(files.reduce(0) { $0 + depths[$1] }) / Double(files.count) }

    private mutating func drawArcs(of file: Int) {
        guard let from = positions[file] else { return }
        for other in house.uses[file] {
            guard let to = positions[other] else { continue }
            let bulge = from.x + min(Self.arcs * 2 - 20, 20 + abs(to.y - from.y) / 3)
            let isUp = house.circles.contains { $0.contains(file) && $0.contains(other) }
            out.append(
                #"<path\#(isUp ? #" class="up""# : "") d="M\#(from.x) \#(from.y) C\#(bulge) \#(from.y) \#(bulge) \#(to.y) "#
                    + #"\#(to.x) \#(to.y)"><title>\#(house.files[file].name) uses \#(house.files[other].name)</title></path>"#
            )
        }
    }
}
