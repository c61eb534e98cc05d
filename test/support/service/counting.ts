import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitFolder } from './git-folder.ts';
import { type ProcessMark, runningIn, signalIfThere } from './processes.ts';
import { type ServiceProcess, type StartProcess, startProcess } from './service-process.ts';

const sampleAt = /The sample application answers at {2}(\S+)/;
const READY = /Ctrl-C ends everything/;

/** Counts aloud, answers with a number of its process, whose own id is no other after a start where it is isolated, and has a cron job each second that takes two. */
const COUNTING = {
  'server.js': `process.stdout.on('error', () => {});
let count = 0;
const id = require('node:crypto').randomInt(1e9);
setInterval(() => console.log(id, 'count', ++count), 20);
require('node:http').createServer((_, s) => s.end(String(id))).listen(process.env.PORT);`,
  // Two processes: the shell, and the server.
  Procfile: 'web: node server.js; exit $?',
  'job.js': "setTimeout(() => console.log('job done'), 2000);",
  'app.json': JSON.stringify({ cron: [{ command: 'node job.js', schedule: '* * * * * *' }] }),
};

/** `npm start` whose sample application counts aloud, so that a gap in its log, and another process, are seen. */
export class CountingService {
  service: ServiceProcess;
  /** Where the application answers. */
  url = '';

  constructor(
    readonly dataDir: string,
    private readonly options: Omit<StartProcess, 'dataDir'>,
  ) {
    this.service = startProcess({ dataDir, ...options });
  }

  /** Resolves when the service is ready, and with its first start when the application has been pushed. */
  async ready(): Promise<void> {
    await this.service.printed(READY);
    const isFirst = this.url === '';
    this.url = (await this.service.printed(sampleAt))[1] ?? '';
    if (!isFirst) return;
    const tree = gitFolder(join(process.cwd(), /git clone (\S+)/.exec(this.service.output())?.[1] ?? ''));
    tree.git('fetch', '--quiet', 'origin', 'main');
    tree.git('checkout', '--quiet', '-B', 'main', 'origin/main');
    tree.commit(COUNTING);
    await tree.pushAndWatch();
  }

  async kill(): Promise<void> {
    this.service.kill();
    await this.service.ended;
  }

  async begin(options: Omit<StartProcess, 'dataDir'> = {}): Promise<void> {
    this.service = startProcess({ dataDir: this.dataDir, ...this.options, ...options });
    await this.ready();
  }

  /** The number of the application's process. */
  async id(): Promise<string> {
    return (await fetch(this.url)).text();
  }

  log(): string {
    return readFileSync(join(this.dataDir, 'platform/apps/demo/hello/app.log'), 'utf8');
  }

  /** What each process of the application has counted. */
  counts(): ReadonlyMap<string, readonly number[]> {
    const counts = new Map<string, number[]>();
    for (const [, pid = '', count] of this.log().matchAll(/ stdout (\d+) count (\d+)$/gm)) {
      counts.set(pid, [...(counts.get(pid) ?? []), Number(count)]);
    }
    return counts;
  }

  runners(): readonly ProcessMark[] {
    return runningIn(this.dataDir).filter(({ command }) => command.includes('runner.cjs'));
  }

  killRunners(): void {
    for (const { pid } of this.runners()) signalIfThere(pid, 'SIGKILL');
  }

  async close(): Promise<void> {
    await this.kill();
    for (const { pid } of runningIn(this.dataDir)) signalIfThere(pid, 'SIGKILL');
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
