import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Isolation } from '../../../lib/process/sandbox.ts';
import { trySandbox } from '../../../lib/process/sandbox-trial.ts';
import { newFolder } from '../new-folder.ts';
import { project } from '../service/place.ts';
import { runningIn } from '../service/processes.ts';
import { appFiles, appOf, deploy, serverFile, tarball } from './harness.ts';
import { startInProcess } from './in-process.ts';

/** Whether this machine can isolate. */
export const trial = await trySandbox();
const SECRET = 'secret-of-another-application';
export const attempts = readFileSync(join(project, 'test/support/platform/attempts.cjs'), 'utf8');

/** A registry of npm with one package, a pnpm that does nothing. */
function onePackage() {
  const server = createServer(async (request, response) => {
    const { host } = request.headers;
    const manifest = { name: 'pnpm', version: '9.0.0', bin: { pnpm: 'pnpm.cjs' } };
    const versions = { '9.0.0': { ...manifest, dist: { tarball: `http://${host}/pnpm.tgz` } } };
    const files = { 'package.json': JSON.stringify(manifest), 'pnpm.cjs': '#!/usr/bin/env node\n' };
    const isTarball = request.url === '/pnpm.tgz';
    const about = { name: 'pnpm', 'dist-tags': { latest: '9.0.0' }, versions };
    response.end(isTarball ? await tarball(files) : JSON.stringify(about));
  });
  const open = async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  };
  return { open, close: () => server.close() };
}

/** The rest of a program: a server that answers with the value of an expression. */
export const answering = (value: string) =>
  `require('node:http').createServer((q, s) => s.end(${value})).listen(process.env.PORT, process.env.HOST);`;

/** A platform that isolates its applications, with one that another one would like to reach. */
export async function isolatedPlatform() {
  const service = newFolder('isolated');
  const home = newFolder('home');
  const platform = join(service, 'platform');
  const apps = join(platform, 'apps/ada');
  const temporary = join(tmpdir(), `of-another-${process.pid}`);
  const registry = onePackage();
  mkdirSync(join(platform, 'user-caches/bob/npm'), { recursive: true });
  for (const name of ['service.db', 'token.key', 'password', 'netrc', 'config.json']) {
    writeFileSync(join(service, name), 'of the service');
  }
  writeFileSync(temporary, 'of another');
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id_ed25519'), 'of the operator');
  const isolation = { ...(trial as Omit<Isolation, 'hidden'>), hidden: service };
  const npmrc = join(home, '.npmrc');
  writeFileSync(npmrc, '//registry.example/:_authToken=of the operator\n');
  const places = { HOME: home, npm_config_userconfig: npmrc, npm_config_registry: await registry.open() };
  const at = await startInProcess({
    dataDir: platform,
    isolation,
    environment: { ...process.env, ...places },
    limits: { graceMs: 1_000, processCheckMs: 20 },
    processLimits: { '*': 60 },
  });
  /** Deploys an application; returns what asks it. */
  const live = async (name: string, id: string, files: Record<string, string | Buffer>) => {
    const app = await deploy(at, name, id, files);
    return async () => (await fetch(String(app.url))).text();
  };
  await live('other', '1', appFiles('other', serverFile('other')));
  await at.variables.set(appOf('other'), { SECRET });
  await at.operations.restart(appOf('other'));
  writeFileSync(join(apps, 'other/data/kept'), 'of another');
  return {
    ...at,
    apps,
    live,
    /** What `attempts` tries to reach, for the application `hostile`. */
    targets: () => {
      const otherPid = runningIn(join(apps, 'other/releases/1')).at(-1)?.pid;
      const [other, own] = [join(apps, 'other'), join(apps, 'hostile')];
      const place = { service, platform, project, temporary, other, own, home };
      return JSON.stringify({ ...place, secret: SECRET, marker: 'vitest', pid: process.pid, otherPid });
    },
    close: async () => {
      await at.close();
      registry.close();
      for (const path of [service, temporary]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
