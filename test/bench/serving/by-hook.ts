import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../../lib/http/ports.ts';
import { signalIfThere } from '../../support/service/processes.ts';

/** A bare repository whose hook deploys by shell commands. */
export interface HookDeploy {
  readonly repository: string;
  /** Where the application answers. */
  readonly url: string;
  /** Ends the application. */
  close(): void;
}

/** Makes the repository. Its hook archives the commit, installs with the npm cache, and replaces the process. */
export async function byHook(folder: string, cache: string): Promise<HookDeploy> {
  const repository = join(folder, 'shell.git');
  const pid = join(folder, 'shell.pid');
  const port = await freePort();
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  // A client may want to send options, as to the service's repositories.
  execFileSync('git', ['-C', repository, 'config', 'receive.advertisePushOptions', 'true']);
  const hook = join(repository, 'hooks', 'post-receive');
  writeFileSync(hook, script({ work: join(folder, 'shell'), pid, port, cache }));
  chmodSync(hook, 0o755);
  return {
    repository,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      if (existsSync(pid)) signalIfThere(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
    },
  };
}

interface Place {
  readonly work: string;
  readonly pid: string;
  readonly port: number;
  readonly cache: string;
}

function script({ work, pid, port, cache }: Place): string {
  return `#!/bin/sh
rm -rf '${work}' && mkdir '${work}' && git archive main | tar x -C '${work}' && cd '${work}' || exit 1
npm_config_cache='${cache}' npm ci --omit=dev --no-audit --no-fund --prefer-offline --silent || exit 1
# A process that has ended takes signals until its parent has looked at it, and has no program any more.
runs() { if [ -d /proc/self ]; then [ -e "/proc/$1/exe" ]; else kill -0 "$1" 2> /dev/null; fi; }
if [ -f '${pid}' ]; then
  before=$(cat '${pid}')
  kill "$before"
  while runs "$before"; do sleep 0.005; done
fi
PORT=${port} HOST=127.0.0.1 node server.js > /dev/null 2>&1 < /dev/null &
echo $! > '${pid}'
`;
}
