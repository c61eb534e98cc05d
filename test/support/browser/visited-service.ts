import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runningIn, signalIfThere } from '../service/processes.ts';
import { dataFolder, loginOf, type ServiceProcess, startProcess } from '../service/service-process.ts';
import type { Browser, ContextOptions } from './api.ts';
import { axeSource, startBrowser } from './browser.ts';
import { signIn, type Tab } from './page-driver.ts';

/** A service of its own, and a browser in which its user has signed in. */
export interface VisitedService {
  readonly dataDir: string;
  readonly base: string;
  readonly login: string;
  readonly browser: Browser;
  readonly tab: Tab;
  /** The source of axe-core. */
  readonly axe: string;
  /** Kills the service, and resolves when it has ended. */
  stop(): Promise<void>;
  /** Starts it again at its address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a service with a configuration, and signs in with the login that it has made. */
export async function visitedService(
  name: string,
  { config = {}, options = {} }: { readonly config?: object; readonly options?: ContextOptions } = {},
): Promise<VisitedService> {
  const dataDir = dataFolder(name);
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config));
  let service: ServiceProcess = startProcess({ dataDir });
  const stop = async () => {
    service.kill();
    await service.ended;
  };
  const isReady = () => service.printed(/Ctrl-C ends everything/);
  const open = async () => {
    const [browser, axe] = await Promise.all([startBrowser(), axeSource()]);
    const base = (await service.printed(/(http:\/\/127\.0\.0\.1:\d+)\/ +\(user demo/))[1] ?? '';
    await isReady();
    const login = loginOf(dataDir);
    return { browser, axe, base, login, tab: await signIn(browser, { base, login, options }) };
  };
  const opened = await open().catch(async (error) => {
    await stop();
    throw error;
  });
  const start = async () => {
    service = startProcess({ dataDir, port: Number(new URL(opened.base).port) });
    await isReady();
  };
  const close = async () => {
    await opened.browser.close();
    await stop();
    for (const { pid } of runningIn(dataDir)) signalIfThere(pid, 'SIGKILL');
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  return { ...opened, dataDir, stop, start, close };
}
