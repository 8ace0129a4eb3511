use roxmltree::Node;

/// Deepest nesting that is kept.
const MAX_DEPTH: usize = 16;
/// Attributes that steer the merge and are no fields.
const STEERING: [&str; 6] = ["id", "parent", "default", "index", "removed", "value"];
/// Fields whose elements are appended even when a layer has only one.
const ARRAYS: [&str; 4] = ["BlendTextures", "HardTiles", "CliffSets", "EditorCategories"];

/// A value with fields below it. `Color="1,0,0"` on an element is the same as `<Color value="1,0,0"/>` inside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    value: Option<String>,
    removed: bool,
    children: Vec<Child>,
}

#[derive(Clone, Debug, PartialEq)]
struct Child {
    name: String,
    index: Option<String>,
    field: Field,
}

impl Field {
    pub(super) fn read(node: Node<'_, '_>) -> Self {
        Self::read_below(node, MAX_DEPTH)
    }

    fn read_below(node: Node<'_, '_>, depth: usize) -> Self {
        let mut out = Self { value: node.attribute("value").map(str::to_owned), ..Self::default() };
        out.removed = node.attribute("removed") == Some("1");
        for attribute in node.attributes().filter(|a| !STEERING.contains(&a.name())) {
            let field = Self { value: Some(attribute.value().to_owned()), ..Self::default() };
            out.children.push(Child { name: attribute.name().to_owned(), index: None, field });
        }
        if depth > 0 {
            for child in node.children().filter(Node::is_element) {
                out.children.push(Child {
                    name: child.tag_name().name().to_owned(),
                    index: child.attribute("index").map(str::to_owned),
                    field: Self::read_below(child, depth - 1),
                });
            }
        }
        out
    }

    /// Lays another layer over this one.
    pub(super) fn merge(&mut self, over: Self) {
        if over.value.is_some() {
            self.value = over.value;
        }
        let plain =
            |fields: &[Child], name: &str| fields.iter().filter(|c| c.name == name && c.index.is_none()).count();
        let arrays: Vec<bool> = over
            .children
            .iter()
            .map(|c| c.index.is_none())
            .zip(&over.children)
            .map(|(is_plain, c)| {
                let known = ARRAYS.contains(&c.name.as_str());
                is_plain && (known || plain(&over.children, &c.name) > 1 || plain(&self.children, &c.name) > 1)
            })
            .collect();
        for (child, append) in over.children.into_iter().zip(arrays) {
            let same = (!append).then(|| self.position(&child.name, child.index.as_deref())).flatten();
            match same {
                Some(at) if child.field.removed => drop(self.children.remove(at)),
                Some(at) => self.children[at].field.merge(child.field),
                None if child.field.removed => {}
                None => self.children.push(child),
            }
        }
    }

    fn position(&self, name: &str, index: Option<&str>) -> Option<usize> {
        let exact = self.children.iter().position(|c| c.name == name && c.index.as_deref() == index);
        // A number also means the place among the elements that have no index.
        let place = || index.and_then(|i| i.parse::<usize>().ok());
        exact.or_else(|| {
            let place = place()?;
            let mut plain = self.children.iter().enumerate().filter(|(_, c)| c.name == name && c.index.is_none());
            plain.nth(place).map(|(at, _)| at)
        })
    }

    /// The field at a path of `Name` and `Name[index]`.
    pub fn get(&self, path: &[&str]) -> Option<&Self> {
        let Some((first, rest)) = path.split_first() else { return Some(self) };
        let (name, index) = match first.split_once('[') {
            Some((name, index)) => (name, Some(index.trim_end_matches(']'))),
            None => (*first, None),
        };
        self.children[self.position(name, index)?].field.get(rest)
    }

    /// The text of the field at a path.
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.get(path)?.value.as_deref()
    }

    /// The texts of an array, in order.
    pub fn texts(&self, name: &str) -> impl Iterator<Item = &str> {
        self.children.iter().filter(move |c| c.name == name).filter_map(|c| c.field.value.as_deref())
    }

    /// A finite number at a path.
    pub fn number(&self, path: &[&str]) -> Option<f32> {
        self.text(path)?.trim().parse().ok().filter(|v: &f32| v.is_finite())
    }

    /// `N` finite numbers divided by commas at a path.
    pub fn vector<const N: usize>(&self, path: &[&str]) -> Option<[f32; N]> {
        let mut parts = self.text(path)?.split(',');
        let mut out = [0.0; N];
        for slot in &mut out {
            *slot = parts.next()?.trim().parse().ok().filter(|v: &f32| v.is_finite())?;
        }
        Some(out)
    }
}
