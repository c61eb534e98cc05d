import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { RemotePlatform } from '../../aws/service/stack.ts';
import { project } from './place.ts';

/** `npm run platform` in a process and a folder of its own, as another machine would run it. */
export interface PlatformCommandProcess {
  readonly remote: RemotePlatform;
  /** Ends it and its applications. */
  close(): Promise<void>;
}

/** Starts it. The npm script is skipped, because it may install packages. */
export async function platformCommandProcess(folder: string): Promise<PlatformCommandProcess> {
  mkdirSync(folder, { recursive: true });
  const token = randomBytes(24).toString('base64url');
  const file = join(folder, 'token');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  const options = { listen: '127.0.0.1:0', data: join(folder, 'data'), 'token-file': file };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, ['bin/run.mjs', 'platform', ...words], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  const ended = once(child, 'exit');
  const url = await addressIn(child.stdout);
  // What it says later must not fill the pipe.
  child.stdout.resume();
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { remote: { url, token }, close };
}

async function addressIn(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, url] = /^The platform answers at (\S+);/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The platform has ended before it answered.');
}
