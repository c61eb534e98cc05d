// Runs the benchmark, or only the named parts, and prints each figure with its baseline of the same run:
// npm run bench [-- serving changes …]; ROUNDS=1 for a quick look.
import type { Bench, BenchRow } from './row.ts';

const parts: Readonly<Record<string, () => Promise<Bench>>> = {
  acknowledgement: async () => (await import('./acknowledgement.ts')).run,
  cost: async () => (await import('./delivery-cost.ts')).run,
  serving: async () => (await import('./serving/serving.ts')).run,
  changes: async () => (await import('./changes.ts')).run,
  start: async () => (await import('./start.ts')).run,
  rest: async () => (await import('./at-rest.ts')).run,
  asleep: async () => (await import('./asleep.ts')).run,
  disk: async () => (await import('./disk.ts')).run,
  visits: async () => (await import('./front-door/front-door.ts')).run,
  neighbour: async () => (await import('./neighbour.ts')).run,
  door: async () => (await import('./door/door.ts')).run,
  imports: async () => (await import('./imports.ts')).run,
};

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const part = parts[name];
  if (!part) throw new Error(`There is no part "${name}"; there are ${Object.keys(parts).join(', ')}.`);
  console.log(`\n${name}`);
  const run = await part();
  for (const row of await run()) console.log(line(row));
}

function line({ figure, value, baseline, ratio, target, reached }: BenchRow): string {
  const against = ratio === undefined ? '' : `${ratio.toFixed(2)} ×`;
  const verdict = reached ? 'reached' : 'NOT reached';
  return [
    figure.padEnd(52),
    value.padStart(10),
    baseline.padStart(12),
    against.padStart(9),
    `${target}: ${verdict}`,
  ].join('  ');
}
