import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../lib/http/ports.ts';
import { residentMb, sample } from './at-rest.ts';
import { atRest } from './processor.ts';
import { medians } from './rounds.ts';
import type { BenchRow } from './row.ts';
import { basic, emptyFolder, type Service, serviceOn, startService } from './service.ts';
import { firstPush } from './serving/first-push.ts';
import { expressVersions, type Version } from './serving/versions.ts';
import { milliseconds, ratioOf } from './statistics.ts';

const APPS = Number(process.env.APPS || 100);
const POLL_MS = 2;
const FIRST_MS = 1_000;
/** The allowed part of what the service takes without applications. */
const MORE = 1.2;
const MOST_MS = 3;

/** Measures applications with Express whose `web` is `auto`: what they take at rest, and how long a first request waits. */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = emptyFolder('asleep-bare');
  const bare = join(folder, 'lock');
  const express = expressVersions(bare, join(folder, 'npm'));
  let service = await startService('asleep');
  try {
    const without = await measured(service);
    const urls: string[] = [];
    for (let number = 1; number <= APPS; number += 1)
      urls.push(await deployed(service, `app-${number}`, express('up')));
    // After a start of the service they are asleep.
    await service.end();
    service = await serviceOn(service.dataDir);
    const resting = await measured(service);
    // Afterwards, because the answer takes memory too.
    await allAsleep(service);
    writeFileSync(join(bare, 'server.js'), express('up').files['server.js'] ?? '');
    const { own, base } = await medians(async (round) => {
      const started = await bareStart(bare);
      await atRest(service.pid);
      return { base: started, own: await firstAnswer(urls[round] ?? '') };
    });
    return [
      {
        ...{ figure: 'first answer of a sleeping Express application', value: milliseconds(own) },
        ...{ baseline: `node: ${milliseconds(base)}`, ratio: ratioOf(own, base) },
        ...{ target: `≤ ${milliseconds(FIRST_MS)}`, reached: own <= FIRST_MS },
      },
      {
        ...{ figure: `memory at rest, with ${APPS} of them`, value: `${resting.mb} MB` },
        ...{ baseline: `none: ${without.mb} MB`, ratio: ratioOf(resting.mb, without.mb) },
        ...{ target: `≤ ${MORE}`, reached: resting.mb <= MORE * without.mb },
      },
      {
        ...{ figure: '… processor time a second', value: `${resting.ms.toFixed(1)} ms` },
        ...{ baseline: `none: ${without.ms.toFixed(1)} ms` },
        ...{ target: `≤ ${MOST_MS} ms`, reached: resting.ms <= MOST_MS },
      },
    ];
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(service: Service): Promise<Record<'mb' | 'ms', number>> {
  await atRest(service.pid);
  const { ms } = await medians(() => sample(service.pid));
  return { ms, mb: residentMb(service) };
}

/** Deploys an application under its own name, whose `web` is `auto` then, and returns its address. */
async function deployed(service: Service, name: string, { files, text }: Version): Promise<string> {
  const named = Object.entries(files).map(([path, code]) => [path, code.replaceAll('express-app', name)]);
  const { tree, url } = await firstPush(service, name, { files: Object.fromEntries(named), text });
  tree.remove();
  await api(service, `/${name}/processes`, { method: 'PATCH', body: '{"web":"auto"}' });
  return url;
}

async function allAsleep(service: Service): Promise<void> {
  for (;;) {
    const { apps } = (await api(service, '')) as { apps: readonly { readonly state: string }[] };
    if (apps.length > 0 && apps.every(({ state }) => state === 'asleep')) return;
    await setTimeout(100);
  }
}

async function api({ url, user, password }: Service, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: basic(user, password) };
  const answer = await fetch(`${url}/1/apps/${user}${path}`, { ...init, headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function firstAnswer(url: string): Promise<number> {
  const begin = performance.now();
  const answer = await fetch(url);
  const text = await answer.text();
  if (text !== 'up') throw new Error(`It did not answer: ${answer.status} ${text}`);
  return performance.now() - begin;
}

/** Starts the same application by itself, and returns the milliseconds until its first answer. */
async function bareStart(cwd: string): Promise<number> {
  const port = await freePort();
  const begin = performance.now();
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), NODE_ENV: 'production' };
  const child = spawn('node', ['server.js'], { cwd, env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => null))?.ok) await setTimeout(POLL_MS);
  const took = performance.now() - begin;
  child.kill('SIGKILL');
  await ended;
  return took;
}
