import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gitFolder } from '../../support/service/git-folder.ts';
import { atRest } from '../processor.ts';
import { medians, ROUNDS } from '../rounds.ts';
import { type BenchRow, plainRow, timeRow } from '../row.ts';
import { emptyFolder, type Service, startService } from '../service.ts';
import { byHook } from './by-hook.ts';
import { firstPush, type Pushed } from './first-push.ts';
import { expressVersions, plain, type Version } from './versions.ts';

const POLL_MS = 5;
const MOST_MS = 120_000;

/**
 * Measures the time from the call of `git push` until the new version answers, in turn with a bare repository whose hook
 * deploys by shell commands with the same npm cache.
 */
export async function run(): Promise<readonly BenchRow[]> {
  const folder = emptyFolder('serving');
  const service = await startService('serving-service');
  const express = expressVersions(join(folder, 'lock'), join(folder, 'npm'));
  try {
    const none = await compare({ service, folder, name: 'plain', version: (text) => plain(text) });
    const same = await compare({ service, folder, name: 'express-app', version: express });
    return [
      row('git push to the new version, no dependencies', none, 300),
      row('git push to the new version, Express, same lockfile', same, 350),
      await swapRow(service),
    ];
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Compared {
  readonly service: Service;
  readonly folder: string;
  readonly name: string;
  readonly version: (text: string) => Version;
}

/** The first push of both, which installs, is not measured. */
async function compare({ service, folder, name, version }: Compared): Promise<Record<'own' | 'base', number>> {
  const place = join(folder, name);
  mkdirSync(place);
  const hook = await byHook(place, join(folder, 'npm'));
  const shell = { tree: gitFolder(hook.repository), url: hook.url };
  const own = await firstPush(service, name, version('first'));
  try {
    await pushed(shell, version('first'));
    return await medians(async (round) => {
      const base = await pushed(shell, version(`version ${round}`));
      await atRest(service.pid);
      return { base, own: await pushed(own, version(`version ${round}`)) };
    }, ROUNDS + 2);
  } finally {
    hook.close();
    shell.tree.remove();
    own.tree.remove();
  }
}

/** Pushes a version and returns the milliseconds until it answers. */
async function pushed({ tree, url }: Pushed, { files, text }: Version): Promise<number> {
  tree.commit(files);
  const begin = performance.now();
  const push = tree.push();
  for (let seen = ''; seen !== `200 ${text}`; seen = await said(url)) {
    if (performance.now() - begin > MOST_MS) throw new Error(`${url} does not answer "${text}": ${seen}`);
    await setTimeout(POLL_MS);
  }
  const answered = performance.now() - begin;
  await push;
  return answered;
}

function said(url: string): Promise<string> {
  return fetch(url)
    .then(async (answer) => `${answer.status} ${await answer.text()}`)
    .catch((error: unknown) => String(error));
}

function row(figure: string, { own, base }: Record<'own' | 'base', number>, mostMs: number): BenchRow {
  return timeRow(figure, { own, base, name: 'shell', target: `≤ ${mostMs} ms`, reached: own <= mostMs });
}

/** Sends a request every 5 ms while a push replaces the application. */
async function swapRow(service: Service): Promise<BenchRow> {
  const app = await firstPush(service, 'swapped', plain('before', 'swapped'));
  let swapping = true;
  const seen: string[] = [];
  const requests = (async () => {
    while (swapping) {
      seen.push(await said(app.url));
      await setTimeout(POLL_MS);
    }
  })();
  await pushed(app, plain('after', 'swapped'));
  await setTimeout(200);
  swapping = false;
  await requests;
  app.tree.remove();
  const bad = seen.filter((one) => one !== '200 before' && one !== '200 after').length;
  const limit = { most: '0', reached: bad === 0 && seen.includes('200 after') };
  return plainRow(`swap under a request every ${POLL_MS} ms, failed of ${seen.length}`, String(bad), limit);
}
