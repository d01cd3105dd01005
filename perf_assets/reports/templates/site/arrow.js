// What DuckDB-Wasm imports of Apache Arrow, from Arrow's one file for browsers, a plain script.
export const { RecordBatchReader, Table, Type, tableToIPC } = globalThis.Arrow;
