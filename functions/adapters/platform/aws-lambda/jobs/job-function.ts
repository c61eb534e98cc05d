import { DeleteFunctionCommand, InvokeCommand, PutFunctionEventInvokeConfigCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { AppRef, SnapshotRef } from '../../../../core/ports/platform.ts';
import { unless } from '../../../aws/failures.ts';
import { cronName, functionName, jobFunctionOf, runKeys } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { publishVersion } from '../run/app-function.ts';
import { jobPlanOf, planOf, startable } from '../run/versions.ts';
import { keys } from '../table/items.ts';
import { endIncidents } from './cron-incidents.ts';

const TRIES = 8;
const PAUSE_MS = 1_000;
/** What Lambda says of a function that another call changes at this moment. */
const CHANGING = ['ResourceConflictException', 'PreconditionFailedException'];
/** The least that Lambda allows: a command that cannot begin by then is not begun. */
export const BEGINS_WITHIN_SECONDS = 60;
/** As of a shell, for a command that was killed. */
export const KILLED = 137;
export const UNBEGUN = `could not begin within ${BEGINS_WITHIN_SECONDS} seconds, for want of a free run of the account, or of a deploy by this version of the service`;
export const SILENT = 'gave no sign any more, as one that takes more than the 1024 MB of memory';
/** Longer than a command may wait and run. */
const VALID_SECONDS = 20 * 60;

/**
 * Makes the function that runs the commands of a release, with the current variables, beside that of the application; a
 * second call changes nothing. A command is not run again when it fails.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-configuring.html
 */
export async function ensureJobFunction(release: SnapshotRef, parts: LambdaPlatformParts): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { variables, jobs } = await startable(release, parts);
    const plan = jobPlanOf(planOf(release, variables, { parts, fresh: false }));
    if (jobs === plan.description) return;
    const { name: FunctionName, description } = plan;
    try {
      await publishVersion(plan, parts);
      const once = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: BEGINS_WITHIN_SECONDS };
      await parts.lambda.send(new PutFunctionEventInvokeConfigCommand({ FunctionName, ...once }));
      if (await parts.table.write(keys.app(release), { jobs: description }, { exists: true })) return;
      // The application was removed meanwhile, which the next try says.
      await parts.lambda.send(new DeleteFunctionCommand({ FunctionName }));
    } catch (error) {
      const isChanging = error instanceof Error && CHANGING.includes(error.name);
      if (!isChanging || tries === TRIES) throw error;
      await parts.clock.sleep(PAUSE_MS);
    }
  }
}

/** A command for the function beside an application. */
export interface Job {
  /** Of its objects. */
  readonly run: string;
  readonly command: readonly string[];
  /** Whether the log of the application gets what it prints, line by line; else its object gets it. */
  readonly isLogged: boolean;
}

type JobParts = Pick<LambdaPlatformParts, 'lambda' | 's3' | 'bucket' | 'functionPrefix'>;

/** Begins a command, which has no access but to its own two objects, by signed addresses. */
export async function beginJob(app: AppRef, { run, ...job }: Job, parts: JobParts): Promise<void> {
  const { lambda, s3, bucket: Bucket, functionPrefix } = parts;
  const { output, control } = runKeys(app, run);
  const sign = { expiresIn: VALID_SECONDS };
  // The object is there from now on, so that a reader does not need to tell whether it is missing or refused.
  await s3.send(new PutObjectCommand({ Bucket, Key: output, Body: Buffer.alloc(0) }));
  const addresses = {
    output: await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: output }), sign),
    control: await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: control }), sign),
  };
  const Payload = Buffer.from(JSON.stringify({ name: run, ...job, ...addresses }));
  const FunctionName = jobFunctionOf(functionName(functionPrefix, app));
  await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
}

/** Removes the function, and what its commands have said; what was read of that goes by itself, after two weeks. */
export async function removeJobs(app: AppRef, parts: LambdaPlatformParts): Promise<void> {
  const { table, lambda, s3, bucket: Bucket, functionPrefix } = parts;
  const FunctionName = jobFunctionOf(functionName(functionPrefix, app));
  await unless('ResourceNotFoundException', lambda.send(new DeleteFunctionCommand({ FunctionName })));
  const { cron = [] } = (await table.read(keys.app(app))) ?? {};
  await endIncidents(app, cron, parts);
  const unread = (await table.list(keys.runs(app))).map(({ sk }) => sk);
  for (const run of [...cron.map((_, at) => cronName(at)), ...unread]) {
    for (const Key of Object.values(runKeys(app, run))) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await table.remove(keys.run(app, run));
  }
}

type ReportParts = Pick<LambdaPlatformParts, 's3' | 'bucket'>;

/** Without the right to list a bucket, S3 answers 403 for an object that is not there. */
const MISSING: readonly unknown[] = [403, 404];

/** What a command has said: an object that grows, which the application itself can write. */
interface Report {
  readonly bytes: number;
  /** When it was written last, in milliseconds since 1970. */
  readonly at: number;
}

export async function findReport(app: AppRef, run: string, { s3, bucket }: ReportParts): Promise<Report | null> {
  const head = new HeadObjectCommand({ Bucket: bucket, Key: runKeys(app, run).output });
  try {
    const { ContentLength = 0, LastModified } = await s3.send(head);
    return { bytes: ContentLength, at: LastModified?.getTime() ?? 0 };
  } catch (error) {
    if (error instanceof Error && MISSING.includes(statusOf(error))) return null;
    throw error;
  }
}

function statusOf({ $metadata }: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }) {
  return $metadata?.httpStatusCode;
}

interface Span {
  readonly app: AppRef;
  readonly run: string;
  readonly from: number;
  /** Behind its last byte. */
  readonly to: number;
}

/** Returns the bytes of a span, which must not be empty. */
export async function reportBytes({ app, run, from, to }: Span, { s3, bucket }: ReportParts): Promise<Buffer> {
  const object = { Bucket: bucket, Key: runKeys(app, run).output, Range: `bytes=${from}-${to - 1}` };
  const { Body } = await s3.send(new GetObjectCommand(object));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}
