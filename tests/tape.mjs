// Plays a tape (tapes.py) with a game's WebAssembly module: node tape.mjs MODULE TAPE
// Says how many calls there were, or what differs.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [PUT, CALL, NEAR, GRAIN] = [1, 2, 4, 64];
const [file, taped] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [], env: {} });
const { instance } = await WebAssembly.instantiate(readFileSync(file), wasi.getImportObject());
wasi.initialize(instance);
const { memory, ...entries } = instance.exports;

let end = memory.buffer.byteLength; // room of our own begins where theirs ends
const room = (bytes) => {
  const at = end;
  end += (bytes + 15) & ~15;
  const short = end - memory.buffer.byteLength;
  if (short > 0) memory.grow(Math.ceil(short / 65536));
  return at;
};
const words = room(8 * 256);

const tape = readFileSync(taped);
let at = 0;
const word = () => {
  at += 8;
  return tape.readBigUInt64LE(at - 8);
};
const number = () => Number(word());
const grain = () => tape.subarray(at, (at += GRAIN));
const content = (size) => {
  const into = new Uint8Array(size + GRAIN);
  for (let spots = number(); spots; spots--) into.set((at += 8, grain()), Number(tape.readBigUInt64LE(at - GRAIN - 8)));
  return into.subarray(0, size);
};
const stop = (why) => {
  console.log(why);
  process.exit(1);
};

// Whether two words are the same or, as floats, differ by no more than one part in a billion.
const alike = (one, other, how) => {
  const [a, b] = new Float64Array(BigUint64Array.of(one, other).buffer);
  const close = Math.abs(a - b) < 1e-9 * (1 + Math.abs(b)) || (Number.isNaN(a) && Number.isNaN(b));
  return one === other || (how === NEAR && close);
};

const buffers = new Map();
let [calls, name] = [0, ""];
while (at < tape.length) {
  const what = number();
  if (what === CALL) {
    const [length, many, place, gives, given] = [number(), number(), word(), number(), word()];
    name = `packed_${grain().toString("latin1", 0, length)}`;
    const row = [];
    for (let i = 0; i < many; i++) row.push(number() ? (BigInt(buffers.get(number()))) : word());
    new BigUint64Array(memory.buffer, words, many).set(row);
    if (!entries[name]) stop(`there is no ${name}`);
    const went = BigInt.asUintN(64, entries[name](words));
    const [found] = new BigUint64Array(memory.buffer, words, 1);
    if (went !== place || (gives && !alike(found, given, gives)))
      stop(`call ${calls}, ${name}: ${went}, ${found} instead of ${place}, ${given}`);
    calls++;
    continue;
  }
  const [which, size] = [number(), number()];
  const wanted = content(size);
  if (what === PUT) {
    if (!buffers.has(which)) buffers.set(which, room(size));
    new Uint8Array(memory.buffer, buffers.get(which), size).set(wanted);
  } else {
    const here = Buffer.from(memory.buffer, buffers.get(which), size);
    const differs = (byte, i) =>
      byte !== here[i] &&
      (what !== NEAR || !alike(here.readBigUInt64LE(i & ~7), Buffer.from(wanted).readBigUInt64LE(i & ~7), NEAR));
    const k = here.compare(wanted) ? wanted.findIndex(differs) : -1;
    if (k >= 0) {
      stop(`call ${calls - 1}, ${name}: byte ${k} of buffer ${which} is ${here[k]} instead of ${wanted[k]}`);
    }
  }
}
console.log(calls);
