//! A JSON document and named arrays in one checksummed safetensors file.

use std::borrow::Cow;
use std::collections::HashMap;

use safetensors::tensor::{Dtype, Metadata, SafeTensors, View};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::SCHEMA;
use super::tensors::{Array, BadTensors, Tensors};

/// Why bytes are not a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadModel(pub String);

impl std::fmt::Display for BadModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadModel {}

impl From<BadTensors> for BadModel {
    fn from(bad: BadTensors) -> Self {
        BadModel(bad.0)
    }
}

/// The key of the document in the file's metadata.
const KEY: &str = "separatrix";
/// What stands before the checksum. The quotes are escaped: the document is a string in a JSON header.
const BEFORE_CHECKSUM: &[u8] = br#"\"sha256\":\""#;
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The document's first fields. `sha256` is the first, so the first match is the checksum's.
#[derive(Serialize)]
struct Wrapped<'a, T> {
    sha256: &'a str,
    schema: u32,
    version: &'a str,
    model: &'a T,
}

#[derive(Deserialize)]
struct SchemaOnly {
    schema: u32,
    version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unwrapped<T> {
    #[allow(dead_code)]
    sha256: String,
    #[allow(dead_code)]
    schema: u32,
    #[allow(dead_code)]
    version: String,
    model: T,
}

struct Bytes {
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl View for Bytes {
    fn dtype(&self) -> Dtype {
        self.dtype
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.data)
    }
    fn data_len(&self) -> usize {
        self.data.len()
    }
}

/// Writes document and arrays as a file's bytes.
pub fn pack(document: &impl Serialize, tensors: Tensors) -> Result<Vec<u8>, BadModel> {
    let wrapped = Wrapped { sha256: ZEROS, schema: SCHEMA, version: env!("CARGO_PKG_VERSION"), model: document };
    let text = serde_json::to_string(&wrapped).map_err(|e| BadModel(e.to_string()))?;
    let views = tensors.arrays.into_iter().map(|(name, (shape, array))| {
        let (dtype, data) = match array {
            Array::F64(v) => (Dtype::F64, v.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Array::U64(v) => (Dtype::U64, v.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Array::U32(v) => (Dtype::U32, v.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Array::U8(v) => (Dtype::U8, v),
        };
        (name, Bytes { dtype, shape, data })
    });
    let metadata = HashMap::from([(KEY.to_string(), text)]);
    let mut bytes = safetensors::serialize(views, Some(metadata)).map_err(|e| BadModel(e.to_string()))?;
    let checksum = hexadecimal(&Sha256::digest(&bytes));
    let at = find_checksum(&bytes).ok_or_else(|| BadModel("the checksum's place was not found".into()))?;
    bytes[at..at + 64].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

/// Reads a file's bytes; every byte of them is checked.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Tensors), BadModel> {
    let not = |why: String| BadModel(format!("not a Separatrix model: {why}"));
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| not(e.to_string()))?;
    let text = document_of(&header).ok_or_else(|| not("a safetensors file of something else".into()))?;
    let schema: SchemaOnly = serde_json::from_str(text).map_err(|e| not(e.to_string()))?;
    if schema.schema != SCHEMA {
        return Err(BadModel(format!(
            "schema version {} (written by Separatrix {}), but this Separatrix reads version {SCHEMA}",
            schema.schema, schema.version
        )));
    }
    let at = find_checksum(bytes).ok_or_else(|| not("no checksum".into()))?;
    let mut hash = Sha256::new();
    hash.update(&bytes[..at]);
    hash.update(ZEROS);
    hash.update(&bytes[at + 64..]);
    if hexadecimal(&hash.finalize()).as_bytes() != &bytes[at..at + 64] {
        return Err(BadModel("damaged: the checksum does not fit the content".into()));
    }
    let unwrapped: Unwrapped<T> = serde_json::from_str(text).map_err(|e| BadModel(format!("damaged: {e}")))?;
    let file = SafeTensors::deserialize(bytes).map_err(|e| not(e.to_string()))?;
    let mut tensors = Tensors::default();
    for (name, view) in file.iter() {
        let data = view.data();
        let array = match view.dtype() {
            Dtype::F64 => Array::F64(data.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
            Dtype::U64 => Array::U64(data.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect()),
            Dtype::U32 => Array::U32(data.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()),
            Dtype::U8 => Array::U8(data.to_vec()),
            other => return Err(BadModel(format!("tensor {name}: a model has no numbers of type {other:?}"))),
        };
        tensors.arrays.insert(name.to_string(), (view.shape().to_vec(), array));
    }
    Ok((unwrapped.model, tensors))
}

fn document_of(header: &Metadata) -> Option<&str> {
    header.metadata().as_ref()?.get(KEY).map(String::as_str)
}

/// Where the 64 digits of the checksum begin. The header comes first in the file, so the search ends there.
fn find_checksum(bytes: &[u8]) -> Option<usize> {
    let found = bytes.windows(BEFORE_CHECKSUM.len()).position(|window| window == BEFORE_CHECKSUM)?;
    let at = found + BEFORE_CHECKSUM.len();
    (at + 64 <= bytes.len()).then_some(at)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
