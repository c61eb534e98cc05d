import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../../lib/http/ports.ts';
import { visited } from './application.ts';

const POLL_MS = 20;

/** A program that runs until it is closed, and where it answers. */
export interface Peer {
  readonly url: string;
  close(): Promise<void>;
}

/** Whether a program is installed. */
export function isInstalled(program: string): boolean {
  return !spawnSync(program, ['--version'], { stdio: 'ignore' }).error;
}

/**
 * Starts a program in a session of its own, as an application has one. Linux shares a busy processor between sessions
 * (autogroups), so that one in the session of the load generator would wait less for its turn.
 */
function start(program: string, args: readonly string[], env = process.env): ChildProcess {
  return spawn(program, args, { env, stdio: 'ignore', detached: true });
}

/** Starts the application by itself. */
export async function startApplication(folder: string): Promise<Peer> {
  const port = await freePort();
  const file = join(folder, 'server.cjs');
  writeFileSync(file, visited.files['server.js'] ?? '');
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port) };
  return ready(port, start('node', [file], env));
}

/** Starts Caddy before a server, as it comes. */
export async function startCaddy(folder: string, url: string): Promise<Peer> {
  const port = await freePort();
  const file = join(folder, `Caddyfile-${port}`);
  const site = `http://:${port} {\n\tbind 127.0.0.1\n\treverse_proxy ${new URL(url).host}\n}\n`;
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
  return ready(port, start('caddy', ['run', '--config', file, '--adapter', 'caddyfile']));
}

/** Starts nginx before a server, with kept connections to it and WebSockets. */
export async function startNginx(folder: string, url: string): Promise<Peer> {
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const location =
    'proxy_pass http://a; proxy_http_version 1.1; proxy_set_header Connection $way; proxy_set_header Upgrade $http_upgrade;';
  const http = [
    `access_log off; client_max_body_size 0; client_body_temp_path ${folder}/bodies; proxy_temp_path ${folder}/answers;`,
    'map $http_upgrade $way { default upgrade; "" ""; }',
    `upstream a { server ${new URL(url).host}; keepalive 64; }`,
    `server { listen 127.0.0.1:${port}; location / { ${location} } }`,
  ];
  const main = `worker_processes auto; daemon off; pid ${folder}/nginx.pid; events { worker_connections 4096; }`;
  writeFileSync(file, `${main}\nhttp {\n${http.join('\n')}\n}\n`);
  return ready(port, start('nginx', ['-c', file, '-e', join(folder, 'nginx.err')]));
}

async function ready(port: number, child: ChildProcess): Promise<Peer> {
  const url = `http://127.0.0.1:${port}`;
  const ended = once(child, 'exit');
  while (!(await fetch(url).catch(() => null))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} has ended with ${child.exitCode}.`);
    await setTimeout(POLL_MS);
  }
  return {
    url,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
