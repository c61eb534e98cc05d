import { Agent, request } from 'node:http';

/** A request's time and status. */
export interface Shot {
  readonly ms: number;
  readonly status: number;
}

/** Returns what to send; `number` is different for each request. */
export type Aim = (number: number) => { url: string; headers: Record<string, string>; body: string };

/** Sends `total` requests with a fixed concurrency. */
export async function closedLoop(aim: Aim, inFlight: number, total: number): Promise<Shot[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const shots: Shot[] = [];
  let next = 0;
  const worker = async () => {
    while (next < total) {
      next += 1;
      shots.push(await shoot(aim(next), agent));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  agent.destroy();
  return shots;
}

function shoot(target: ReturnType<Aim>, agent: Agent): Promise<Shot> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const { url, headers, body } = target;
    const call = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    call.on('error', reject);
    call.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve({ ms: performance.now() - begin, status: answer.statusCode ?? 0 }));
    });
    call.end(body);
  });
}
