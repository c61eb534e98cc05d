// Asks an application again and again, in a process of its own. Prints a line when it has begun; at the end of its
// standard input, the milliseconds of each request as JSON.
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** Between two requests: the visitor must not take the processors itself. */
const PAUSE_MS = 4;
const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const times: number[] = [];
let ending = false;
process.stdin.resume();
process.stdin.on('end', () => {
  ending = true;
});
await ask();
console.log('{}');
while (!ending) {
  times.push(await ask());
  await setTimeout(PAUSE_MS);
}
agent.destroy();
console.log(JSON.stringify(times));

function ask(): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`The application answered ${answer.statusCode}.`));
      answer.resume().once('end', () => resolve(performance.now() - begin));
    });
    request.once('error', reject);
  });
}
