// The database of the site, opened by DuckDB-Wasm in this page. Nothing is asked of another host.
import { AsyncDuckDB, VoidLogger } from "./duckdb/duckdb.js";

// Whatever is asked afterwards reaches this one database, read only, and no setting that changes it.
const OPENING = [
  "SET autoinstall_known_extensions = false",
  "SET autoload_known_extensions = false",
  "ATTACH 'perf_bugs.duckdb' AS perf_bugs (READ_ONLY)",
  "USE perf_bugs",
  "SET enable_external_access = false",
  "SET lock_configuration = true",
];

// A file of the site as bytes, unpacked; `progress` is called with the bytes that came.
async function fetched(file, progress) {
  const response = await fetch(file.path);
  if (!response.ok) throw new Error(`${file.path} cannot be had from this host: ${response.status} ${response.statusText}`);
  const parts = [];
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    progress(value.length);
  }
  const packed = new Blob(parts);
  const [first, second] = new Uint8Array(await packed.slice(0, 2).arrayBuffer());
  // Some hosts say that a .gz file is gzip-encoded; then the browser has unpacked it.
  if (first !== 0x1f || second !== 0x8b) return packed.arrayBuffer();
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

const address = (bytes, type) => URL.createObjectURL(new Blob([bytes], { type }));

// A connection to the database; `progress` is called with the bytes that came so far.
export async function openDatabase(files, progress) {
  let sum = 0;
  const count = (bytes) => { sum += bytes; progress(sum); };
  const [engine, script, database] = await Promise.all(
    [files.engine, files.worker, files.database].map((file) => fetched(file, count)),
  );
  // A worker from a blob has the policy of this page; one from an address would have none.
  const worker = new Worker(address(script, "text/javascript"));
  const duckdb = new AsyncDuckDB(new VoidLogger(), worker);
  await duckdb.instantiate(address(engine, "application/wasm"));
  await duckdb.open({});
  await duckdb.registerFileBuffer("perf_bugs.duckdb", new Uint8Array(database));
  const connection = await duckdb.connect();
  for (const statement of OPENING) await connection.query(statement);
  return connection;
}

// The columns and rows that `sql` gives, no more than `most`; `isCut` says whether there are more.
export async function ask(connection, sql, most) {
  const reader = await connection.send(sql, true);
  await reader.open(); // it forgets its columns when it has read all rows
  const columns = reader.schema.fields.map(({ name, type }) => ({ name, type }));
  const rows = [];
  let isCut = false;
  for await (const batch of reader) {
    for (const row of batch) {
      if (rows.length === most) { isCut = true; break; }
      rows.push(row.toArray());
    }
    if (isCut) { await connection.cancelSent(); break; }
  }
  return { columns, rows, isCut };
}

// Whether DuckDB itself failed, and answers nothing any more.
export const isBroken = (error) => /RuntimeError|memory access|unreachable|signature mismatch/.test(String(error));

// What DuckDB says of a mistake, as one sentence.
export function sentence(error) {
  let message = String(error && error.message ? error.message : error);
  let where = "";
  try {
    const told = JSON.parse(message);
    message = `${told.exception_type} Error: ${told.exception_message}`;
  } catch { /* it is plain text */ }
  const extension = /exists in the (\w+) extension|required extension '(\w+)'/.exec(message);
  if (extension || /external extensions is disabled/.test(message)) {
    const name = extension ? extension[1] || extension[2] : "asked for";
    return `This needs DuckDB's extension ${name}, which is not part of this site: query the files of the page of tables with a DuckDB of your own.`;
  }
  if (/file system operations are disabled/.test(message)) {
    return "This console reads the database of this site and nothing else: no file and no address.";
  }
  if (/query was canceled/.test(message)) return "The query was stopped.";
  if (/Out of Memory Error/.test(message)) {
    return "The query needs more memory than this browser gives it: ask for fewer rows or columns.";
  }
  if (isBroken(error)) return `DuckDB failed in this browser (${message}): run it again, which starts it anew.`;
  const line = /\n\s*LINE (\d+):/.exec(message);
  if (line) { where = ` (line ${line[1]})`; message = message.slice(0, line.index); }
  message = message.split(/\n\s*Candidate (?:functions|macros):/)[0].trim();
  return message.replace(/\s+/g, " ") + where;
}
