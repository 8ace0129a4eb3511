//! The one typed table of live values: sliders in the overlay, variables in scripts, uniforms in shaders.

use serde::Serialize;
use thiserror::Error;

use super::value::{Value, ValueType};
use crate::diag::near_miss;

/// Index in a [`ParamTable`]; stable while the table lives, also over reloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ParamId(pub u32);

/// What is known about a param without its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParamDecl {
    /// Name in graph files, scripts, shaders and on the command line.
    pub name: String,
    /// One sentence, with the unit.
    pub doc: String,
    /// Its type.
    pub kind: ValueType,
    /// Value at the start.
    pub default: Value,
    /// Smallest value of each component, if limited.
    pub min: Option<f32>,
    /// Largest value of each component, if limited.
    pub max: Option<f32>,
    /// Names of an enum's values.
    pub choices: Vec<String>,
    /// True for a colour (`Vec4`, RGBA), which the overlay shows with a colour picker.
    pub colour: bool,
    /// Unit for the overlay, such as `px` or `deg`; may be empty.
    pub unit: String,
}

impl ParamDecl {
    /// A param without range, choices and unit.
    pub fn new(name: impl Into<String>, default: Value, doc: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            doc: doc.into(),
            kind: default.value_type(),
            default,
            min: None,
            max: None,
            choices: Vec::new(),
            colour: false,
            unit: String::new(),
        }
    }

    /// Sets the range of each component.
    pub fn range(mut self, min: f32, max: f32) -> Self {
        (self.min, self.max) = (Some(min), Some(max));
        self
    }

    /// Sets the unit.
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Reads a value from a command line's or a console's text: `true`, `3`, `0.5`, `1,0.5,0`, a choice's name.
    pub fn parse(&self, text: &str) -> Result<Value, ParamError> {
        let wrong =
            || ParamError::WrongType { name: self.name.clone(), expected: self.kind.name(), found: text.into() };
        let floats: Option<Vec<f32>> = text.split(',').map(|p| p.trim().parse().ok()).collect();
        let floats = floats.filter(|v| v.iter().all(|x: &f32| x.is_finite()));
        let value = match (self.kind, floats.as_deref()) {
            (ValueType::Bool, _) => match text {
                "true" | "on" | "1" => Value::Bool(true),
                "false" | "off" | "0" => Value::Bool(false),
                _ => return Err(wrong()),
            },
            (ValueType::Int, _) => Value::Int(text.trim().parse().map_err(|_| wrong())?),
            (ValueType::Enum, _) => match self.choices.iter().position(|c| c == text) {
                Some(i) => Value::Int(i as i32),
                None => return Err(wrong()),
            },
            (ValueType::Float, Some(&[x])) => Value::Float(x),
            (ValueType::Vec2, Some(&[x, y])) => Value::Vec2([x, y]),
            (ValueType::Vec3, Some(&[x, y, z])) => Value::Vec3([x, y, z]),
            (ValueType::Vec4, Some(&[x, y, z, w])) => Value::Vec4([x, y, z, w]),
            (ValueType::Vec4, Some(&[x, y, z])) if self.colour => Value::Vec4([x, y, z, 1.0]),
            _ => return Err(wrong()),
        };
        self.check(value)
    }

    /// Converts to the param's type where nothing is lost (int to float) and clamps to its range.
    pub fn check(&self, value: Value) -> Result<Value, ParamError> {
        let clamp = |x: f32| x.max(self.min.unwrap_or(f32::MIN)).min(self.max.unwrap_or(f32::MAX));
        let (v, _) = value.components();
        Ok(match (self.kind, value) {
            (ValueType::Bool, Value::Bool(_)) => value,
            (ValueType::Int, Value::Int(_)) => Value::Int(clamp(v[0]) as i32),
            (ValueType::Enum, Value::Int(i)) if (0..self.choices.len() as i32).contains(&i) => value,
            (ValueType::Float, Value::Float(_) | Value::Int(_)) => Value::Float(clamp(v[0])),
            (ValueType::Vec2, Value::Vec2(_)) => Value::Vec2([clamp(v[0]), clamp(v[1])]),
            (ValueType::Vec3, Value::Vec3(_)) => Value::Vec3([clamp(v[0]), clamp(v[1]), clamp(v[2])]),
            (ValueType::Vec4, Value::Vec4(_)) => Value::Vec4(v.map(clamp)),
            (ValueType::Vec4, Value::Vec3(_)) if self.colour => {
                Value::Vec4([clamp(v[0]), clamp(v[1]), clamp(v[2]), 1.0])
            }
            _ => {
                return Err(ParamError::WrongType {
                    name: self.name.clone(),
                    expected: self.kind.name(),
                    found: format!("{value:?}"),
                });
            }
        })
    }
}

/// Who set a value last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ParamSource {
    /// The declaration in a graph file, a shader or a game.
    Default,
    /// The game, from map data or animation.
    Game,
    /// `--set` or `--pin`.
    CommandLine,
    /// A person at the overlay.
    Overlay,
    /// A script.
    Script,
}

/// A value and its history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParamValueState {
    /// The value now.
    pub value: Value,
    /// Who set it.
    pub source: ParamSource,
    /// Held by `--pin` or in the overlay: nobody else may set it.
    pub held: bool,
}

/// Why a param was not set.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParamError {
    /// No param has this name.
    #[error("no param is called \"{name}\"{}", near.as_ref().map(|n| format!("; did you mean \"{n}\"?")).unwrap_or_default())]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// A name that is near.
        near: Option<String>,
    },
    /// The value does not fit the param's type.
    #[error("param \"{name}\" is of type {expected}, \"{found}\" is not")]
    WrongType {
        /// The param.
        name: String,
        /// Its type.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// The value is held.
    #[error("param \"{name}\" is held; release it in the overlay or start without --pin")]
    Held {
        /// The param.
        name: String,
    },
}

/// All params of a session. Ids are never reused, so a reload keeps what a script or a person has set.
#[derive(Clone, Debug, Default)]
pub struct ParamTable {
    decls: Vec<ParamDecl>,
    states: Vec<ParamValueState>,
    generation: u64,
}

impl ParamTable {
    /// Declares a param or renews its declaration; a value that somebody has set survives if it still fits.
    pub fn declare(&mut self, decl: ParamDecl) -> ParamId {
        self.generation += 1;
        if let Some(id) = self.find(&decl.name) {
            let state = &mut self.states[id.0 as usize];
            let kept = (state.source != ParamSource::Default).then(|| decl.check(state.value).ok()).flatten();
            match kept {
                Some(value) => state.value = value,
                None => *state = ParamValueState { value: decl.default, source: ParamSource::Default, held: false },
            }
            self.decls[id.0 as usize] = decl;
            return id;
        }
        let id = ParamId(self.decls.len() as u32);
        self.states.push(ParamValueState { value: decl.default, source: ParamSource::Default, held: false });
        self.decls.push(decl);
        id
    }

    /// Finds a param by name.
    pub fn find(&self, name: &str) -> Option<ParamId> {
        self.decls.iter().position(|d| d.name == name).map(|i| ParamId(i as u32))
    }

    /// Finds a param or says which name is near.
    pub fn require(&self, name: &str) -> Result<ParamId, ParamError> {
        self.find(name).ok_or_else(|| ParamError::Unknown {
            name: name.into(),
            near: near_miss(name, self.decls.iter().map(|d| d.name.as_str())).map(str::to_owned),
        })
    }

    /// The value now.
    pub fn get(&self, id: ParamId) -> Value {
        self.states[id.0 as usize].value
    }

    /// Declaration and state.
    pub fn entry(&self, id: ParamId) -> (&ParamDecl, &ParamValueState) {
        (&self.decls[id.0 as usize], &self.states[id.0 as usize])
    }

    /// All params in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = (ParamId, &ParamDecl, &ParamValueState)> {
        self.decls.iter().zip(&self.states).enumerate().map(|(i, (d, s))| (ParamId(i as u32), d, s))
    }

    /// Sets a value; the last to speak wins, unless the value is held.
    pub fn set(&mut self, id: ParamId, value: Value, source: ParamSource) -> Result<(), ParamError> {
        let decl = &self.decls[id.0 as usize];
        let state = &mut self.states[id.0 as usize];
        if state.held {
            return Err(ParamError::Held { name: decl.name.clone() });
        }
        let value = decl.check(value)?;
        if state.value != value {
            self.generation += 1;
        }
        (state.value, state.source) = (value, source);
        Ok(())
    }

    /// Holds or releases a value.
    pub fn hold(&mut self, id: ParamId, held: bool) {
        self.states[id.0 as usize].held = held;
    }

    /// Back to the declaration's value, released.
    pub fn reset(&mut self, id: ParamId) {
        self.generation += 1;
        let value = self.decls[id.0 as usize].default;
        self.states[id.0 as usize] = ParamValueState { value, source: ParamSource::Default, held: false };
    }

    /// Grows whenever a value or a declaration changed.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> (ParamTable, ParamId) {
        let mut table = ParamTable::default();
        let id = table.declare(ParamDecl::new("fog_start", Value::Float(800.0), "units").range(0.0, 5000.0));
        (table, id)
    }

    #[test]
    fn a_set_value_survives_a_new_declaration_and_the_default_follows_it() {
        let (mut table, id) = table();
        let redeclared = ParamDecl::new("fog_start", Value::Float(100.0), "units").range(0.0, 900.0);
        table.declare(redeclared.clone());
        assert_eq!(table.get(id), Value::Float(100.0));
        table.set(id, Value::Float(850.0), ParamSource::Overlay).unwrap();
        assert_eq!(table.declare(redeclared), id);
        assert_eq!(table.get(id), Value::Float(850.0));
    }

    #[test]
    fn held_values_refuse_everybody() {
        let (mut table, id) = table();
        table.hold(id, true);
        assert!(matches!(table.set(id, Value::Float(1.0), ParamSource::Script), Err(ParamError::Held { .. })));
        assert_eq!(table.get(id), Value::Float(800.0));
    }

    #[test]
    fn text_is_read_by_type_and_clamped_to_the_range() {
        let (table, id) = table();
        let decl = table.entry(id).0;
        assert_eq!(decl.parse("9000"), Ok(Value::Float(5000.0)));
        assert!(decl.parse("much").is_err());
        assert!(decl.parse("nan").is_err());
        assert_eq!(
            table.require("fog_stat").unwrap_err().to_string(),
            "no param is called \"fog_stat\"; did you mean \"fog_start\"?"
        );
    }
}
