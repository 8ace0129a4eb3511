//! The outline of a piece on a cell side. It follows from the levels of the side's two corners and nothing else, so any two
//! pieces that share a side meet on it, vertex by vertex.

use super::Style;

/// A point of an outline: offset towards the high corner from the middle of the side, and height over the low corner.
type Point = [f32; 2];

/// One tier of a side: its outline from foot to rim with the texture's v and a normal at each point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Profile {
    pub(crate) points: Vec<Point>,
    pub(crate) v: Vec<f32>,
    /// (component towards the high corner, z) of the unit normal.
    pub(crate) normals: Vec<[f32; 2]>,
}

const ROCK: &[Point] =
    &[[-20.0, 0.0], [-12.0, 16.0], [-7.0, 44.0], [-3.0, 76.0], [3.0, 104.0], [9.0, 121.0], [17.0, 128.0]];
const ROCK_LOWER: &[Point] =
    &[[-20.0, 0.0], [-13.0, 16.0], [-9.0, 44.0], [-6.0, 76.0], [-4.0, 100.0], [-2.0, 116.0], [0.0, 128.0]];
const ROCK_UPPER: &[Point] =
    &[[0.0, 128.0], [2.0, 148.0], [4.0, 176.0], [7.0, 206.0], [11.0, 232.0], [17.0, 249.0], [26.0, 256.0]];

const CITY: &[Point] = &[
    [-9.0, 0.0],
    [-9.0, 13.0],
    [-4.0, 17.0],
    [-4.0, 102.0],
    [-8.0, 106.0],
    [-8.0, 123.0],
    [-4.0, 128.0],
    [8.0, 128.0],
];
const CITY_LOWER: &[Point] =
    &[[-9.0, 0.0], [-9.0, 13.0], [-4.0, 17.0], [-4.0, 45.0], [-4.0, 75.0], [-4.0, 100.0], [-4.0, 116.0], [-4.0, 128.0]];
const CITY_UPPER: &[Point] = &[
    [-4.0, 128.0],
    [-4.0, 150.0],
    [-4.0, 190.0],
    [-4.0, 230.0],
    [-8.0, 234.0],
    [-8.0, 251.0],
    [-4.0, 256.0],
    [8.0, 256.0],
];

/// Texture row of the rim.
pub(crate) const RIM_V: f32 = 0.254;

/// Texture row of the foot.
pub(crate) const FOOT_V: f32 = 0.996;

/// Where the tiers of a double city wall begin and end in the texture: both at the full density of a single wall, the lower one
/// without coping, the upper one without plinth, cut between two courses of stones.
const CITY_SPLIT_V: [[f32; 2]; 2] = [[FOOT_V, 0.375], [0.906, RIM_V]];

/// The tiers of a side whose corners are `rise` levels (1 or 2) apart, lowest first.
pub(crate) fn side(style: Style, rise: u8) -> Vec<Profile> {
    let tiers = tiers(style, rise);
    let joined = join(&tiers);
    let total = length(&joined);
    let mut start = 0;
    tiers
        .iter()
        .enumerate()
        .map(|(tier, points)| {
            let range = start..start + points.len();
            start += points.len() - 1;
            let v = if style == Style::City && rise > 1 {
                let [foot, rim] = CITY_SPLIT_V[tier];
                (0..points.len()).map(|i| foot + (rim - foot) * length(&points[..=i]) / length(points)).collect()
            } else {
                range.clone().map(|i| FOOT_V + (RIM_V - FOOT_V) * length(&joined[..=i]) / total).collect()
            };
            Profile { points: points.to_vec(), v, normals: range.map(|i| normal(&joined, i)).collect() }
        })
        .collect()
}

fn tiers(style: Style, rise: u8) -> Vec<&'static [Point]> {
    match (style, rise) {
        (Style::Rock, 1) => vec![ROCK],
        (Style::Rock, _) => vec![ROCK_LOWER, ROCK_UPPER],
        (Style::City, 1) => vec![CITY],
        (Style::City, _) => vec![CITY_LOWER, CITY_UPPER],
    }
}

fn length(points: &[Point]) -> f32 {
    points.windows(2).map(|w| distance(w[0], w[1])).sum()
}

/// All tiers as one outline, with the whole texture over it.
pub(crate) fn whole(style: Style, rise: u8) -> Profile {
    let points = join(&tiers(style, rise));
    let total = length(&points);
    let v = (0..points.len()).map(|i| FOOT_V + (RIM_V - FOOT_V) * length(&points[..=i]) / total).collect();
    let normals = (0..points.len()).map(|i| normal(&points, i)).collect();
    Profile { points, v, normals }
}

fn join(tiers: &[&[Point]]) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    for tier in tiers {
        // the rim of one tier is the foot of the next
        let skip = usize::from(!out.is_empty());
        out.extend_from_slice(&tier[skip..]);
    }
    out
}

fn distance(a: Point, b: Point) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Mean of the normals of the two segments at a point; the segments run from foot to rim, outside is on their left.
fn normal(points: &[Point], i: usize) -> [f32; 2] {
    let segment = |a: Point, b: Point| {
        let d = distance(a, b).max(1e-6);
        [-(b[1] - a[1]) / d, (b[0] - a[0]) / d]
    };
    // level ground goes on beyond both ends
    let before = if i > 0 { segment(points[i - 1], points[i]) } else { [0.0, 1.0] };
    let after = if i + 1 < points.len() { segment(points[i], points[i + 1]) } else { [0.0, 1.0] };
    let n = [before[0] + after[0], before[1] + after[1]];
    let len = n[0].hypot(n[1]).max(1e-6);
    [n[0] / len, n[1] / len]
}
