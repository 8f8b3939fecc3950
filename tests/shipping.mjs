// A game's WebAssembly module under node: random games from some seeds.  node shipping.mjs MODULE SPECIFICATION
// Prints decisions and returns for each seed, as JSON.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [file, given] = process.argv.slice(2);
const { start, players, actions, seeds, games } = JSON.parse(given);
const wasi = new WASI({ version: "preview1", args: [], env: {} });
const { instance } = await WebAssembly.instantiate(readFileSync(file), wasi.getImportObject());
wasi.initialize(instance);
const { memory, packed_play_many } = instance.exports;

let end = memory.grow(32) * 65536; // room of our own, beyond everything
const room = (bytes) => {
  const at = (end + 15) & ~15;
  end = at + bytes;
  return at;
};
const size = start.length / 2;
const record = Uint8Array.from(start.match(/../g).map((pair) => parseInt(pair, 16)));
const [S, acts, rng, out, totals] = [2 * size, 2 * actions, 64, 8 * players, 8 * players].map(room);
const words = room(8 * 12);

const play = (seed) => {
  new Uint8Array(memory.buffer).set(record, S);
  new Float64Array(memory.buffer, totals, players).fill(0);
  const row = [S, 2, acts, actions, rng, 8, out, players, seed, games, totals, players];
  new BigInt64Array(memory.buffer, words, row.length).set(row.map(BigInt));
  if (packed_play_many(words)) throw new Error("the rules went wrong");
  return [Number(new BigInt64Array(memory.buffer, words, 1)[0]), ...new Float64Array(memory.buffer, totals, players)];
};
console.log(JSON.stringify(seeds.map(play)));
