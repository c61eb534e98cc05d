import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { clientFor } from '../../../aws-local/clients.ts';
import { type Runtime, startRuntime } from '../../../aws-local/runtime.ts';
import type { Strictness } from '../../../aws-local/strict/strict.ts';
import { newFolder } from '../../new-folder.ts';
import { synthesiseApp } from '../synthesise-app.ts';
import { WorkshopStack } from './workshop-stack.ts';

/** The workshop while it runs, with clients of its services. */
export interface Workshop {
  readonly runtime: Runtime;
  readonly warnings: string[];
  readonly s3: S3Client;
  readonly lambda: LambdaClient;
  readonly codeBuild: CodeBuildClient;
  readonly logs: CloudWatchLogsClient;
  put(key: string, body: string | Uint8Array): Promise<void>;
  /** Returns an object once it is there. */
  wait(key: string): Promise<string>;
  address(command: GetObjectCommand | PutObjectCommand): Promise<string>;
  close(): Promise<void>;
}

const WAIT_MS = 30_000;

/** Synthesises the workshop into a new folder, and returns what starts it there. */
export async function workshop() {
  const folder = newFolder('workshop');
  const cloudAssembly = await synthesiseApp(folder, {
    handlers: new URL('handlers', import.meta.url),
    addStack: (app, bundles) => void new WorkshopStack(app, 'Workshop', bundles),
  });
  return {
    folder,
    start: (strictness: Strictness = {}) => startWorkshop(cloudAssembly, join(folder, 'data'), strictness),
  };
}

async function startWorkshop(cloudAssembly: string, dataDir: string, strictness: Strictness): Promise<Workshop> {
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const options = { cloudAssembly, parameters: {}, dataDir, port: 0, log: () => {}, ...strictness };
  const runtime = await startRuntime({ ...options, warn });
  await runtime.open();
  const { endpoints } = runtime;
  const s3 = new S3Client({ ...clientFor(endpoints.s3), forcePathStyle: true });
  const clients = {
    lambda: new LambdaClient(clientFor(endpoints.lambda)),
    codeBuild: new CodeBuildClient(clientFor(endpoints.codeBuild)),
    logs: new CloudWatchLogsClient(clientFor(endpoints.logs)),
  };
  return {
    runtime,
    warnings,
    s3,
    ...clients,
    put: async (Key, Body) => void (await s3.send(new PutObjectCommand({ Bucket: bucketOf(runtime), Key, Body }))),
    wait: async (Key) => {
      const end = Date.now() + WAIT_MS;
      for (;;) {
        const found = await s3.send(new GetObjectCommand({ Bucket: bucketOf(runtime), Key })).catch(() => undefined);
        if (found?.Body) return found.Body.transformToString();
        if (Date.now() > end) throw new Error(`There is no object ${Key}: ${warnings.join('\n')}`);
        await pause(20);
      }
    },
    address: (command) => getSignedUrl(s3, command, { expiresIn: 60 }),
    close: async () => {
      s3.destroy();
      for (const client of Object.values(clients)) client.destroy();
      await runtime.close();
    },
  };
}

/** Returns the name that the bucket got from its logical id. */
export function bucketOf({ template }: Runtime): string {
  const [bucket] = template.ofType('AWS::S3::Bucket');
  return bucket?.logicalId.toLowerCase() ?? '';
}
