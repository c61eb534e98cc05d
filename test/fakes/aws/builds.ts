import type * as CodeBuild from '@aws-sdk/client-codebuild';
import { AwsError, fakeClient } from './aws-error.ts';
import type { FakeLogs } from './logs.ts';

interface Build {
  readonly id: string;
  readonly input: CodeBuild.StartBuildCommandInput;
  polls: number;
  status: CodeBuild.StatusType;
}

const GROUP = 'builds';

/** A fake of CodeBuild, whose builds end at the second look at them: it reads the job as the script does. */
export class FakeBuilds {
  readonly all: Build[] = [];
  readonly projects = new Map<string, CodeBuild.Project>([['project', { name: 'project', source: { type: 'S3' } }]]);
  /** The status that the next build ends with, whatever it builds. */
  fate: CodeBuild.StatusType | null = null;
  readonly #objects: Map<string, Buffer>;
  readonly #logs: FakeLogs;

  constructor(objects: Map<string, Buffer>, logs: FakeLogs) {
    this.#objects = objects;
    this.#logs = logs;
    logs.groups.set(GROUP, []);
  }

  client(): CodeBuild.CodeBuildClient {
    return fakeClient({
      StartBuildCommand: (input: CodeBuild.StartBuildCommandInput) => {
        const known = this.all.find((one) => one.input.idempotencyToken === input.idempotencyToken);
        if (known) return { build: { id: known.id } };
        const build: Build = { id: `project:${this.all.length + 1}`, input, polls: 0, status: 'IN_PROGRESS' };
        this.all.push(build);
        return { build: { id: build.id } };
      },
      // The one of the stack, and those that were made.
      BatchGetProjectsCommand: ({ names = [] }: CodeBuild.BatchGetProjectsCommandInput) => ({
        projects: names.flatMap((name) => this.projects.get(name) ?? []),
      }),
      CreateProjectCommand: (input: CodeBuild.CreateProjectCommandInput) => {
        this.projects.set(input.name ?? '', input);
      },
      UpdateProjectCommand: (input: CodeBuild.UpdateProjectCommandInput) => {
        this.projects.set(input.name ?? '', input);
      },
      DeleteProjectCommand: ({ name = '' }: CodeBuild.DeleteProjectCommandInput) => {
        this.projects.delete(name);
      },
      StopBuildCommand: ({ id }: CodeBuild.StopBuildCommandInput) => {
        const build = this.all.find((one) => one.id === id);
        if (!build) throw new AwsError('ResourceNotFoundException', 400, `There is no build ${id}.`);
        if (build.status === 'IN_PROGRESS') build.status = 'STOPPED';
        return { build: { id } };
      },
      BatchGetBuildsCommand: ({ ids = [] }: CodeBuild.BatchGetBuildsCommandInput) => {
        const found = this.all.filter(({ id }) => ids.includes(id));
        for (const build of found) this.#look(build);
        const logs = (id: string) => ({ groupName: GROUP, streamName: id });
        return { builds: found.map(({ id, status }) => ({ id, buildStatus: status, logs: logs(id) })) };
      },
    });
  }

  #look(build: Build): void {
    build.polls += 1;
    if (build.polls < 2 || build.status !== 'IN_PROGRESS') return;
    build.status = this.fate ?? this.#run(build);
    this.fate = null;
  }

  /** Runs a build to its end, unless it takes minutes. */
  #run({ id, input }: Build): CodeBuild.StatusType {
    const print = (...lines: string[]) => {
      for (const line of lines) this.#logs.write(GROUP, id, `${line}\n`);
    };
    print('[Container] Running command node build-program.mjs', '--- build begins');
    const url = input.environmentVariablesOverride?.find(({ name }) => name === 'JOB_URL')?.value;
    const { source, release } = JSON.parse(this.#object(url).toString());
    const bytes = this.#object(source);
    if (bytes.toString().includes('is built for minutes')) return 'IN_PROGRESS';
    if (bytes.toString().includes('has a worker')) print('--- note: Only web is run.');
    const isBroken = bytes.toString().includes('cannot be built');
    if (isBroken) print('no compiler here', '--- error: npm install exited with code 1: no compiler here.');
    else this.#objects.set(keyOf(release), bytes);
    print('--- build ends', '[Container] Phase complete');
    return isBroken ? 'FAILED' : 'SUCCEEDED';
  }

  #object(url: string | undefined): Buffer {
    const found = this.#objects.get(keyOf(url ?? ''));
    if (found) return found;
    throw new AwsError('NoSuchKey', 404, `There is no object at ${url}.`);
  }
}

/** The key in a signed address. */
function keyOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  if (!searchParams.has('X-Amz-Signature')) throw new AwsError('AccessDenied', 403);
  return decodeURIComponent(pathname.slice(1));
}
