import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { asking } from './asking.ts';
import { type GitFolder, gitFolder } from './git-folder.ts';
import { isRunner, type ProcessMark, runningIn, signalIfThere } from './processes.ts';
import { loginOf, type ServiceProcess, type StartProcess, startProcess } from './service-process.ts';

const sampleAt = /The sample application answers at {2}(\S+)/;
const READY = /Ctrl-C ends everything/;

/** Listens on the ports that a request names, or an earlier one has, as soon as one is free, and says so: nothing else ends there. */
const TAKING = `const file = process.env.DATA_DIR + '/ports';
const take = () => {
  if (!require('node:fs').existsSync(file)) return;
  const ports = require('node:fs').readFileSync(file, 'utf8').split(',');
  const all = ports.flatMap((port) => ['127.0.0.1', '::1'].map((host) => ({ port, host })));
  for (const at of all) {
    setInterval(() => require('node:net').createServer().on('error', () => {}).listen(at, () => console.log('has taken', at.port)), 5);
  }
};
take();`;

/** Counts aloud, answers with a number of its process, whose own id is no other after a start where it is isolated, and has a cron job each second that takes two. */
const COUNTING = {
  'server.js': `process.stdout.on('error', () => {});
let count = 0;
const id = require('node:crypto').randomInt(1e9);
setInterval(() => console.log(id, 'count', ++count), 20);
${TAKING}
require('node:http').createServer((q, s) => {
  const ports = /^\\/take\\?(.*)/.exec(q.url)?.[1];
  if (ports) require('node:fs').writeFileSync(file, ports);
  if (ports) take();
  s.end(String(id));
}).listen(process.env.PORT);`,
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
    const tree = this.#clone(join(process.cwd(), /git clone (\S+)/.exec(this.service.output())?.[1] ?? ''));
    tree.commit(COUNTING);
    await tree.pushAndWatch();
  }

  #clone(origin: string): GitFolder {
    const tree = gitFolder(origin);
    tree.git('fetch', '--quiet', 'origin', 'main');
    tree.git('checkout', '--quiet', '-B', 'main', 'origin/main');
    return tree;
  }

  /** Returns a clone of its repository, from which a push is over HTTP. */
  clone(): GitFolder {
    const [, repositories = ''] = this.addresses();
    const { href } = Object.assign(new URL(`${repositories}.git`), this.#login());
    return this.#clone(href);
  }

  #login(): { readonly username: string; readonly password: string } {
    const [username = '', password = ''] = loginOf(this.dataDir).split(':');
    return { username, password };
  }

  /** Calls the webhook again and again, for a branch that is not deployed. */
  webhook() {
    const { username, password } = this.#login();
    const [api = ''] = this.addresses();
    const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1 });
    const headers = { 'content-type': 'application/json', 'x-github-event': 'ping' };
    return asking(`${api}1/deploy`, { method: 'POST', auth: `${username}:${password}`, headers, body });
  }

  async kill(): Promise<void> {
    this.service.kill();
    await this.service.ended;
  }

  async begin(options: Omit<StartProcess, 'dataDir'> = {}): Promise<void> {
    this.service = startProcess({ dataDir: this.dataDir, ...this.options, ...options });
    await this.ready();
  }

  /** Addresses of the API and of the repositories that anybody may ask. */
  addresses(): readonly string[] {
    const [api, repositories] = ['url', 'repositories-url'].map((file) =>
      readFileSync(join(this.dataDir, file), 'utf8').trim(),
    );
    return [`${api}/`, `${repositories}/demo/hello`];
  }

  /** Makes the application listen on the ports of the service as soon as one of them is free, now and after each of its starts. */
  async takePorts(): Promise<void> {
    await fetch(`${this.url}/take?${this.addresses().map((address) => new URL(address).port)}`);
  }

  /** The ports that the application has taken. */
  taken(): readonly string[] {
    return [...this.log().matchAll(/ stdout has taken (\d+)$/gm)].map(([, port = '']) => port);
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
    return runningIn(this.dataDir).filter(isRunner);
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
