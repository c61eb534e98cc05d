import { randomUUID } from 'node:crypto';
import { cp, mkdir, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { REGION } from '../clients.ts';
import { machinePath } from '../lambda/version-process.ts';
import { type LogStore, streamArn } from '../logs/log-store.ts';
import type { Call } from '../permissions/guard.ts';
import type { RoleDenial } from '../permissions/permissions.ts';
import { type BuildRecord, type BuildStatus, idOf } from './build-record.ts';
import type { Project } from './project.ts';
import { runCommands, stamp } from './run-commands.ts';

/** The builds of all projects. */
export interface Builder {
  find(id: string): BuildRecord | undefined;
  /** Returns the builds of a project, newest first. */
  ofProject(name: string): readonly BuildRecord[];
  start(project: Project, wanted: WantedBuild): BuildRecord;
  /** Ends a build with the status STOPPED; resolves when its processes have ended. */
  stop(id: string): Promise<void>;
  /** Ends the processes. */
  close(): Promise<void>;
}

/** The options of a build that its caller sets. */
interface WantedBuild {
  readonly variables: Readonly<Record<string, string>>;
  readonly token: BuildRecord['token'];
}

/** Dependencies of builds. */
export interface BuilderOptions {
  readonly folder: string;
  readonly logs: LogStore;
  readonly denialOf: RoleDenial;
  /** Returns the variables with which a build's calls are those of a role, by its ARN. */
  readonly variablesOf?: (roleArn: string) => Readonly<Record<string, string>>;
  /** Gets a build whenever its status has changed. */
  readonly changed: (build: BuildRecord) => void;
}

interface Running {
  readonly end: (status: BuildStatus) => void;
  readonly done: Promise<void>;
}

/**
 * Runs builds, each on a machine that no other build has at the same time, and that an earlier one may have used: its
 * `/tmp` is a folder in which everything stays that builds leave there.
 */
export function openBuilder(options: BuilderOptions): Builder {
  const builds = new Map<string, BuildRecord>();
  const running = new Map<string, Running>();
  const idle: string[] = [];
  let closed = false;
  const save = (build: BuildRecord) => void builds.set(idOf(build), build);
  const update = (id: string, change: (build: BuildRecord) => BuildRecord): BuildRecord | undefined => {
    const build = builds.get(id);
    if (!build || closed) return undefined;
    const next = change(build);
    save(next);
    return next;
  };
  const run = async (project: Project, id: string, signal: AbortSignal): Promise<boolean> => {
    const build = builds.get(id);
    if (!build) return false;
    const denial = options.denialOf(project.serviceRole, callsOfRole(project, build));
    if (denial !== undefined) {
      update(id, (one) => ({ ...one, phases: withFailure(one.phases, `ACCESS_DENIED: ${denial}`) }));
      return false;
    }
    const machine = idle.pop() ?? join(options.folder, build.uuid);
    const folder = join(machine, 'codebuild', build.uuid);
    const source = join(folder, 'src');
    await mkdir(source, { recursive: true, mode: 0o700 });
    if (project.source !== undefined) await cp(project.source, source, { recursive: true });
    const line = (message: string) => {
      options.logs.append(build.logGroup, build.logStream, [{ timestamp: Date.now(), message: `${message}\n` }]);
    };
    try {
      line(`[Container] ${stamp()} Entering phase BUILD`);
      update(id, (one) => ({ ...one, phases: [...one.phases, { type: 'BUILD', startedAt: Date.now() }] }));
      const ofRole = options.variablesOf?.(project.serviceRole);
      const environment = { ...ofRole, ...environmentOf({ build, machine, source }) };
      const failure = await runCommands({ commands: project.commands, folder, source, environment, line, signal });
      const [state, code] = failure ? ['FAILED', 'COMMAND_EXECUTION_ERROR'] : ['SUCCEEDED', ''];
      line(`[Container] ${stamp()} Phase complete: BUILD State: ${state}`);
      line(`[Container] ${stamp()} Phase context status code: ${code} Message: ${failure ?? ''}`);
      update(id, (one) => ({ ...one, phases: endPhase(one, failure) }));
      return failure === undefined;
    } finally {
      await rm(folder, { recursive: true, force: true });
      idle.push(machine);
    }
  };
  return {
    find: (id) => builds.get(id),
    ofProject: (name) => [...builds.values()].filter(({ project }) => project === name).reverse(),
    start: (project, wanted) => {
      const build = newBuild(project, wanted);
      const id = idOf(build);
      save(build);
      options.changed(build);
      const aborting = new AbortController();
      let wantedEnd: BuildStatus | undefined;
      const end = (status: BuildStatus) => {
        wantedEnd ??= status;
        aborting.abort();
      };
      const timer = setTimeout(() => end('TIMED_OUT'), project.timeoutMinutes * 60_000).unref();
      const done = run(project, id, aborting.signal)
        .then(
          (succeeded) => wantedEnd ?? (succeeded ? 'SUCCEEDED' : 'FAILED'),
          () => 'FAULT' as const,
        )
        .then((status) => {
          clearTimeout(timer);
          running.delete(id);
          const ended = update(id, (one) => withEnd(one, status));
          if (ended) options.changed(ended);
        });
      running.set(id, { end, done });
      return build;
    },
    stop: async (id) => {
      const one = running.get(id);
      one?.end('STOPPED');
      await one?.done;
    },
    close: async () => {
      closed = true;
      const all = [...running.values()];
      for (const { end } of all) end('FAULT');
      await Promise.all(all.map(({ done }) => done));
    },
  };
}

function newBuild(project: Project, { variables, token }: WantedBuild): BuildRecord {
  const uuid = randomUUID();
  const startedAt = Date.now();
  const done = (type: string) => ({ type, status: 'SUCCEEDED' as const, startedAt });
  return {
    uuid,
    project: project.name,
    status: 'IN_PROGRESS',
    environment: project.environment,
    variables: { ...project.variables, ...variables },
    logGroup: project.logGroup,
    logStream: `${project.logStreamPrefix}${uuid}`,
    phases: ['SUBMITTED', 'QUEUED', 'PROVISIONING', 'DOWNLOAD_SOURCE'].map(done),
    startedAt,
    ...(token && { token }),
  };
}

function endPhase({ phases }: BuildRecord, failure: string | undefined): BuildRecord['phases'] {
  const last = phases.at(-1);
  if (!last || last.status !== undefined) return phases;
  const end = failure === undefined ? { status: 'SUCCEEDED' as const } : { status: 'FAILED' as const, failure };
  return [...phases.slice(0, -1), { ...last, ...end }];
}

/** The phase in which the source is fetched fails. */
function withFailure(phases: BuildRecord['phases'], failure: string): BuildRecord['phases'] {
  return phases.map((phase) => (phase.type === 'DOWNLOAD_SOURCE' ? { ...phase, status: 'FAILED', failure } : phase));
}

function withEnd(build: BuildRecord, status: BuildStatus): BuildRecord {
  const phases = endPhase(build, status === 'SUCCEEDED' ? undefined : `The build ended: ${status}.`);
  return { ...build, status, phases: [...phases, { type: 'COMPLETED', startedAt: Date.now() }] };
}

/**
 * Returns what CodeBuild itself does with the role of a project, which its guide asks for.
 *
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/setting-up-service-role.html
 */
function callsOfRole({ sourceLocation }: Project, { logGroup, logStream }: BuildRecord): readonly Call[] {
  const calls = (resource: string, ...actions: string[]) => actions.map((action) => ({ action, resource }));
  const log = calls(streamArn(logGroup, logStream), 'logs:CreateLogStream', 'logs:PutLogEvents');
  if (sourceLocation === undefined) return log;
  const [bucket = ''] = sourceLocation.split('/');
  const object = calls(`arn:aws:s3:::${sourceLocation}`, 's3:GetObject', 's3:GetObjectVersion');
  return [...log, ...object, ...calls(`arn:aws:s3:::${bucket}`, 's3:GetBucketAcl', 's3:GetBucketLocation')];
}

interface EnvironmentParts {
  readonly build: BuildRecord;
  /** The `/tmp` of its machine, and the folder in it with the source. */
  readonly machine: string;
  readonly source: string;
}

/**
 * Nothing of the service's own environment but the PATH;
 * https://docs.aws.amazon.com/codebuild/latest/userguide/build-env-ref-env-vars.html
 */
function environmentOf({ build, machine, source }: EnvironmentParts): Record<string, string> {
  return {
    // As in the image: https://github.com/aws/aws-codebuild-docker-images/tree/master/al-lambda
    PATH: [join(machine, 'opt/npm/bin'), dirname(process.execPath), ...machinePath()].join(delimiter),
    HOME: machine,
    TMPDIR: machine,
    LANG: 'C.UTF-8',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    CODEBUILD_BUILD_ID: idOf(build),
    CODEBUILD_SRC_DIR: source,
    ...build.variables,
  };
}
