import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
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
  const { file, env } = write(caddyfile);
  execFileSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], { env, stdio: 'pipe' });
}

/** A Caddy that serves. */
export interface RunningCaddy {
  /** The certificate of its own authority. */
  readonly ca: string;
  stop(): Promise<void>;
}

/** Starts Caddy with a configuration that serves this port. */
export async function startCaddy(caddyfile: string, port: number): Promise<RunningCaddy> {
  // The port of its own API would be that of a Caddy of this machine.
  const { file, env } = write(caddyfile.replace(/^\{/, '{\n\tadmin off'));
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const stop = async () => {
    // A SIGTERM would wait for all requests.
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await listens(child, port);
    return { ca: readFileSync(join(env.HOME, '.local/share/caddy/pki/authorities/local/root.crt'), 'utf8'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs Caddy with a configuration that serves this port, while `work` runs with the certificate of its own authority. */
export async function withCaddy(caddyfile: string, port: number, work: (ca: string) => Promise<void>): Promise<void> {
  const { ca, stop } = await startCaddy(caddyfile, port);
  await work(ca).finally(stop);
}

/** Writes a configuration to a folder of its own, where the certificates are too. */
function write(caddyfile: string): { readonly file: string; readonly env: { PATH: string; HOME: string } } {
  const folder = newFolder('caddy');
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, caddyfile);
  return { file, env: { PATH: process.env.PATH ?? '', HOME: folder } };
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
