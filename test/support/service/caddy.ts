import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../lib/http/ports.ts';
import { newFolder } from '../new-folder.ts';

/** The version of the Caddy of this machine; undefined when there is none. */
export const caddyVersion = versionOf('caddy');

if (caddyVersion === undefined) console.warn('NOT TRIED: what needs Caddy, which is not installed.');

/** Returns the first line that a program prints as its version; undefined when there is no such program. */
export function versionOf(program: string, argument = 'version'): string | undefined {
  try {
    return execFileSync(program, [argument], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n')[0];
  } catch {
    return undefined;
  }
}

/** Has Caddy check a configuration; throws with what it prints. */
export async function validate(caddyfile: string): Promise<void> {
  await inFolder(caddyfile, async (file, env) => {
    execFileSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], { env, stdio: 'pipe' });
  });
}

/** Runs Caddy with a configuration that serves this port, while `work` runs with the certificate of its own authority. */
export async function withCaddy(caddyfile: string, port: number, work: (ca: string) => Promise<void>): Promise<void> {
  await inFolder(caddyfile, async (file, env) => {
    const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { env, stdio: 'ignore' });
    try {
      await listens(child, port);
      await work(readFileSync(join(env.HOME, '.local/share/caddy/pki/authorities/local/root.crt'), 'utf8'));
    } finally {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  });
}

/** Certificates, configuration and the port of its own API are this run's only. */
async function inFolder(
  caddyfile: string,
  work: (file: string, env: { readonly HOME: string }) => Promise<void>,
): Promise<void> {
  const folder = newFolder('caddy');
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, caddyfile);
  const env = { PATH: process.env.PATH ?? '', HOME: folder, CADDY_ADMIN: `127.0.0.1:${await freePort()}` };
  await work(file, env);
}

async function listens(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Caddy ended with ${child.exitCode}.`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
