import { randomUUID } from 'node:crypto';

/** What the fake runs: the JSON in a tarball. */
export interface Program {
  readonly version: string;
  /**
   * `runs`, `cannot be built`, `is aborted`, `does not start`, `is never up`, `has a hook that fails`,
   * `has no web process`.
   */
  readonly behaviour: string;
}

export interface FakeVariable {
  readonly id: string;
  readonly name: string;
  value: string;
}

export interface FakeOperation {
  readonly id: string;
  status: 'pending' | 'running' | 'done' | 'error';
  readonly type: string;
}

const STEPS = ['queued', 'building', 'pushing', 'starting'];
const FAILURES: Readonly<Record<string, string>> = {
  'cannot be built': 'build-error',
  'is aborted': 'aborted',
  'does not start': 'crashed-error',
  'is never up': 'timeout-error',
  'has a hook that fails': 'hook-error',
};

/** A deployment: it takes a step each time that somebody asks for it. */
export class FakeDeployment {
  readonly id = randomUUID();
  readonly created_at = new Date().toISOString();
  status = 'queued';
  readonly output: string[] = [' Fetching source code'];
  /** What is in the archive; null when there is none, undefined until it was read. */
  private program: Program | null | undefined;

  constructor(
    readonly app: FakeApp,
    readonly git_ref: string,
    archive: Promise<Buffer | undefined>,
  ) {
    const read = (bytes: Buffer | undefined) => {
      this.program = bytes ? JSON.parse(bytes.toString()) : null;
    };
    archive.then(read, () => read(undefined));
  }

  get isOver(): boolean {
    return !STEPS.includes(this.status);
  }

  step(): void {
    if (this.isOver || this.app.isHeld || this.program === undefined) return;
    const next = STEPS[STEPS.indexOf(this.status) + 1];
    if (this.status === 'building') this.build();
    else if (next === undefined) this.start();
    else this.status = next;
  }

  private build(): void {
    const { behaviour } = this.program ?? { behaviour: 'cannot be built' };
    const why = this.program ? ['no compiler here', 'npm error code 1'] : ['The source could not be fetched.'];
    this.output.push('-----> Installing Node.js', '       npm ci');
    if (behaviour === 'is aborted') this.status = 'aborted';
    else if (behaviour !== 'cannot be built') this.status = 'pushing';
    else {
      this.output.push(...why.map((line) => `       ${line}`), '-----> Build failed', ' !     Some general advice');
      this.status = 'build-error';
    }
  }

  /** A version without containers is not started, and so cannot fail. */
  private start(): void {
    const program = this.program ?? { version: '', behaviour: 'runs' };
    const starts = (this.app.formation.get('web') ?? 1) > 0;
    this.output.push(' Waiting for your application to boot...');
    const failure = starts ? FAILURES[program.behaviour] : undefined;
    this.status = failure ?? 'success';
    if (failure === undefined) this.app.serve(program);
    else {
      this.app.crash();
      this.output.push(' !   Error deploying the application');
    }
  }
}

/** An app on the fake. */
export class FakeApp {
  readonly id = randomUUID();
  readonly variables = new Map<string, FakeVariable>();
  readonly formation = new Map<string, number>();
  readonly deployments: FakeDeployment[] = [];
  readonly operations = new Map<string, FakeOperation>();
  readonly log: string[] = [];
  readonly readers = new Set<(line: string) => void>();
  /** What serves. */
  program: Program | undefined;
  status = 'new';
  /** Whether deployments stay where they are. */
  isHeld = false;

  constructor(
    readonly name: string,
    readonly owner: string,
    readonly url: string,
  ) {}

  get isBusy(): boolean {
    const isUnderWay = ({ status }: FakeOperation) => status === 'pending' || status === 'running';
    return this.deployments.some(({ isOver }) => !isOver) || [...this.operations.values()].some(isUnderWay);
  }

  print(source: string, line: string): void {
    const [day, time] = new Date().toISOString().replace('Z', '').split('T');
    const text = `${day} ${time}123456 +0000 UTC [${source}] ${line}`;
    this.log.push(text);
    for (const read of this.readers) read(text);
  }

  serve(program: Program): void {
    this.program = program;
    const type = program.behaviour === 'has no web process' ? 'worker' : 'web';
    if (!this.formation.has(type)) this.formation.set(type, type === 'web' ? 1 : 0);
    this.status = (this.formation.get('web') ?? 0) > 0 ? 'running' : 'stopped';
    this.print('manager', `container [web-1] (${this.id.slice(0, 8)}) started`);
  }

  crash(): void {
    const password = [...this.variables.values()].find(({ name }) => name === 'PASSWORD')?.value ?? '';
    this.print('web-1', `no database here ${password}`.trim());
    this.print('manager', 'container [web-1] failed to boot');
  }

  /** An operation takes a step each time that somebody asks for it. */
  operate(type: string): FakeOperation {
    const operation: FakeOperation = { id: randomUUID(), status: 'pending', type };
    this.operations.set(operation.id, operation);
    return operation;
  }

  stepOperation(operation: FakeOperation): void {
    if (operation.status === 'pending') operation.status = 'running';
    else if (operation.status === 'running') this.endOperation(operation);
  }

  private endOperation(operation: FakeOperation): void {
    const runs = (this.formation.get('web') ?? 0) > 0;
    const fails = runs && this.program?.behaviour === 'does not start';
    if (fails) this.crash();
    operation.status = fails ? 'error' : 'done';
    this.status = runs && !fails ? 'running' : 'stopped';
  }
}
