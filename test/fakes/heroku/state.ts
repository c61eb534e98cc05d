import { createHash, randomUUID } from 'node:crypto';

/** What the fake runs: the JSON in a tarball. */
export interface Program {
  readonly version: string;
  readonly behaviour: string;
}

export interface FakeSlug {
  readonly id: string;
  readonly program: Program;
  readonly process_types: Readonly<Record<string, string>>;
}

export interface FakeRelease {
  readonly id: string;
  readonly version: number;
  readonly slug: { readonly id: string } | null;
  readonly description: string;
  readonly created_at: string;
  status: 'succeeded' | 'pending' | 'failed';
}

export interface FakeBuild {
  readonly id: string;
  status: 'pending' | 'succeeded' | 'failed';
  slug: { readonly id: string } | null;
  readonly output: string[];
  readonly output_stream_url: string;
  /** How often it is asked for before it ends. */
  left: number;
  readonly ends: () => void;
}

export interface FakeDyno {
  readonly id: string;
  readonly type: string;
  state: string;
  readonly release: { readonly id: string; readonly version: number };
}

/** An app on the fake. */
export class FakeApp {
  readonly id = randomUUID();
  readonly config: Record<string, string> = {};
  readonly formation = new Map<string, number>();
  readonly releases: FakeRelease[] = [];
  readonly builds: FakeBuild[] = [];
  readonly log: string[] = [];
  readonly readers = new Set<(line: string) => void>();
  dynos: FakeDyno[] = [];
  buildpacks: string[] = [];
  /** What the command `release` of the next release does. */
  releasePhase: 'none' | 'fails' = 'none';

  constructor(
    readonly name: string,
    readonly owner: string,
    readonly web_url: string,
    private readonly slugs: Map<string, FakeSlug>,
  ) {}

  /** What its current release runs. */
  get program(): Program | undefined {
    const slug = this.releases.findLast(({ status }) => status === 'succeeded')?.slug;
    return slug ? this.slugs.get(slug.id)?.program : undefined;
  }

  print(source: string, line: string): void {
    const text = `${new Date().toISOString().replace('Z', '000+00:00')} ${source}: ${line}`;
    this.log.push(text);
    for (const read of this.readers) read(`${text}\n`);
  }

  /** Like Heroku: the first release of a slug with a web process gets one web dyno, and all dynos start anew. */
  release(slug: FakeSlug | null, description: string): FakeRelease {
    const version = this.releases.length + 1;
    const created_at = new Date().toISOString();
    const made = { id: randomUUID(), version, slug: slug && { id: slug.id }, description, created_at };
    const release: FakeRelease = { ...made, status: this.releasePhase === 'fails' ? 'pending' : 'succeeded' };
    this.releases.push(release);
    this.print('app[api]', `Release v${version} created by user service@example.com`);
    for (const type of Object.keys(slug?.process_types ?? {})) {
      if (!this.formation.has(type)) this.formation.set(type, type === 'web' ? 1 : 0);
    }
    if (release.status === 'pending') return this.failReleasePhase(release);
    this.startDynos();
    return release;
  }

  /** The answer still says pending, and the dynos of the old release stay. */
  private failReleasePhase(release: FakeRelease): FakeRelease {
    this.releasePhase = 'none';
    this.print('app[release.1]', 'migration failed');
    this.print('heroku[release.1]', 'Process exited with status 1');
    const pending = { ...release };
    release.status = 'failed';
    return pending;
  }

  startDynos(): void {
    const release = this.releases.at(-1);
    if (!release?.slug) return;
    const { id, version } = release;
    this.dynos = [...this.formation].flatMap(([type, count]) =>
      Array.from({ length: count }, () => ({ id: randomUUID(), type, state: 'starting', release: { id, version } })),
    );
    if (this.dynos.length > 0) this.print('heroku[web.1]', 'Starting process with command `npm start`');
  }

  /** Each look at the dynos lets those that start get on. */
  settleDynos(): void {
    for (const dyno of this.dynos.filter(({ state }) => state === 'starting')) {
      if (this.program?.behaviour === 'does not start') this.crash(dyno);
      else if (this.program?.behaviour === 'is never up') continue;
      else dyno.state = 'up';
    }
  }

  private crash(dyno: FakeDyno): void {
    dyno.state = 'crashed';
    this.print('app[web.1]', `no database here ${this.config.PASSWORD ?? ''}`.trim());
    this.print('heroku[web.1]', 'Process exited with status 1');
    this.print('heroku[web.1]', 'State changed from starting to crashed');
  }
}

/** Returns the slug of a program; what cannot be built has none. */
export function slugOf(program: Program): FakeSlug {
  const process_types: Record<string, string> =
    program.behaviour === 'has no web process' ? { worker: 'node worker.js' } : { web: 'npm start' };
  return { id: randomUUID(), program, process_types };
}

export function digestOf(bytes: Buffer): string {
  return `SHA256:${createHash('sha256').update(bytes).digest('hex')}`;
}
