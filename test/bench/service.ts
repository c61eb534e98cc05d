import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { basicHeader } from '../../functions/core/basic-auth.ts';
import { addUser, readLogin } from '../../lib/local/config/users.ts';
import { testFolder } from '../support/service/place.ts';
import { gone, startProcess } from '../support/service/service-process.ts';

/** `npm start` in a process of its own, so that the measuring code does not share its event loop. */
export interface Service {
  readonly url: string;
  readonly repositories: string;
  /** The first user; the others are `user-1`, `user-2` … */
  readonly user: string;
  /** Of all users. */
  readonly password: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Ends it; its folder stays. */
  end(): Promise<void>;
  /** Ends it and removes what it kept. */
  close(): Promise<void>;
}

/** Starts the service on an empty folder, without the sample application. */
export async function startService(name: string, users = 0): Promise<Service> {
  const dataDir = emptyFolder(name);
  const { password } = readLogin(dataDir);
  for (let number = 1; number <= users; number += 1) addUser(dataDir, `user-${number}`, password);
  // The sample would be an application that runs.
  writeFileSync(join(dataDir, 'sample-deployed'), '');
  return serviceOn(dataDir);
}

/** Starts the service on a folder that it has used before. */
export async function serviceOn(dataDir: string): Promise<Service> {
  const { user, password } = readLogin(dataDir);
  const service = startProcess({ dataDir });
  await service.printed(/Ctrl-C ends everything/);
  const end = async () => {
    const family = service.family();
    service.signal('SIGTERM');
    await service.ended;
    await gone(family, dataDir);
  };
  const address = (file: string) => readFileSync(join(dataDir, file), 'utf8').trim();
  return {
    user,
    password,
    url: address('url'),
    repositories: address('repositories-url'),
    pid: service.pid,
    dataDir,
    end,
    close: async () => {
      await end();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns an empty folder of the benchmark. */
export function emptyFolder(name: string): string {
  const folder = join(testFolder, `bench-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Returns the header of a login. */
export function basic(user: string, password: string): string {
  return basicHeader(`${user}:${password}`);
}

/** Makes an empty repository of a user and returns its folder. */
export async function makeRepository(service: Service, user: string, name: string): Promise<string> {
  const headers = { authorization: basic(user, service.password), 'content-type': 'application/json' };
  const body = JSON.stringify({ name, private: false });
  const answer = await fetch(`${service.repositories}/user/repos`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`The repository was not made: ${answer.status} ${await answer.text()}`);
  return join(service.dataDir, 'repositories', 'repositories', user, `${name}.git`);
}
