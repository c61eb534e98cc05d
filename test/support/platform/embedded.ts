import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PasswordsUnderTest } from '../../contracts/app-passwords.ts';
import type { ProcessesUnderTest } from '../../contracts/app-processes.ts';
import type { Behaviour } from '../../contracts/hosting-platform.ts';
import { commitTarball } from '../service/tarballs.ts';
import { startInProcess } from './in-process.ts';

export { commitTarball as tarball } from '../service/tarballs.ts';

const BUILD_SCRIPTS: Partial<Record<Behaviour, Record<string, string>>> = {
  'cannot be built': { preinstall: 'echo no compiler here && exit 1' },
  'is built for minutes': { build: 'sleep 120' },
};

/** Real applications: a server that answers with its version, and others that do not get that far. */
export function filesOf(name: string, version: string, works: Behaviour): Record<string, string> {
  const scripts = BUILD_SCRIPTS[works] ?? {};
  const serve = `require('node:http').createServer((q, s) => s.end('${version}')).listen(process.env.PORT, process.env.HOST)`;
  const server = works === 'does not start' ? "console.error('no database here'); process.exit(1)" : serve;
  return {
    'package.json': JSON.stringify({ name, version: '1.0.0', scripts }),
    'server.js': `${server};\n`,
    ...(works === 'has a worker' && { Procfile: 'web: node server.js\nworker: sleep 600\n' }),
  };
}

/** The embedded platform, with its runner in this process. */
export async function embeddedPlatform(): Promise<PasswordsUnderTest & ProcessesUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platform-'));
  const limits = {
    drainMs: 1000,
    graceMs: 1000,
    serverErrorMs: 300,
    settleMs: 500,
    unreadMs: 3000,
  };
  const embedded = await startInProcess({ dataDir, limits });
  return {
    ...embedded,
    platform: embedded.hosting,
    talking: ['sh', '-c', 'printf hello; exec cat'],
    user: 'kiwi',
    tarball: (app, version, works) => commitTarball(filesOf(app, version, works)),
    version: async (_app, url) => (await fetch(url)).text(),
    close: async () => {
      await embedded.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
