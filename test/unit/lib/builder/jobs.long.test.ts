import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../support/new-folder.ts';

const JOBS = fileURLToPath(new URL('../../../../lib/builder/lambda/jobs.cjs', import.meta.url));
/** What is left of the time of a function that has just begun. */
const WHOLE_MS = 900_000;

interface Line {
  readonly data?: string;
  readonly exit?: number;
  readonly reason?: string | null;
}

describe('the handler of commands on AWS Lambda', { timeout: 60_000 }, () => {
  const stored = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    if (request.method === 'PUT') stored.set(String(request.url), await buffer(request));
    response.writeHead(request.method === 'PUT' ? 200 : 404).end();
  });
  let handler: (event: object, context: object) => Promise<void>;

  beforeAll(async () => {
    const folder = newFolder('jobs');
    await mkdir(join(folder, 'app'));
    await copyFile(JOBS, join(folder, 'jobs.cjs'));
    await writeFile(join(folder, 'run.sh'), '#!/bin/sh\ncd app && exec "$@"\n', { mode: 0o755 });
    ({ handler } = createRequire(join(folder, 'jobs.cjs'))('./jobs.cjs'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  /** Returns the bytes that a command has printed, and how it ended. */
  async function run(command: string, leftMs = WHOLE_MS) {
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const event = { name: '1', command: [command], output: `${at}/output`, control: `${at}/control`, isLogged: false };
    await handler(event, { getRemainingTimeInMillis: () => leftMs });
    const lines = String(stored.get('/output')).trimEnd().split('\n');
    const said: Line[] = lines.map((line) => JSON.parse(line));
    const bytes = said.reduce((sum, { data = '' }) => sum + Buffer.from(data, 'base64').length, 0);
    const { exit, reason } = said.at(-1) ?? {};
    return { bytes, exit, reason };
  }

  it('ends a command that prints more than 5 MB, and keeps what came before', async () => {
    const { bytes, ...ended } = await run('yes');
    expect(ended).toEqual({ exit: 143, reason: 'printed more than 5 MB' });
    expect(bytes).toBeGreaterThan(4 * 1024 * 1024);
    expect(bytes).toBeLessThanOrEqual(5 * 1024 * 1024);
    expect(await run('yes | head -c 4000000')).toEqual({ bytes: 4_000_000, exit: 0, reason: null });
  });

  it('ends a command before Lambda ends the function, also one that ignores that', async () => {
    const left = 15_500;
    expect(await run('sleep 100', left)).toEqual({ bytes: 0, exit: 143, reason: 'ran for 15 minutes' });
    const stubborn = 'trap "" TERM; while :; do sleep 0.1; done';
    expect(await run(stubborn, left)).toEqual({ bytes: 0, exit: 137, reason: 'ran for 15 minutes' });
  });

  it('says how a command ended that was killed, and does not wait for what it has left', async () => {
    expect(await run('echo well; kill -9 $$')).toEqual({ bytes: 5, exit: 137, reason: null });
    expect(await run('sleep 100 & exit 4')).toEqual({ bytes: 0, exit: 4, reason: null });
  });
});
