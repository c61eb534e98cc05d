import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { routes } from '../../functions/api/routes.ts';
import { stages } from '../../functions/core/pipeline/pipeline.ts';
import { bundle } from '../../lib/stack/bundles.ts';
import { project, testFolder } from '../support/service/place.ts';
import { functionEnvironment } from '../support/template/function-environment.ts';
import { startChild } from './child.ts';
import { type BenchRow, timeRow } from './row.ts';
import { median, ratioOf } from './statistics.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 15);
/** Functions that events invoke, not the API. */
const EVENTS = [
  'api-unknown',
  ...stages.map(({ name }) => `stage-${name}`),
  'report-status',
  'sweep',
  'changes-signal',
];
const folder = join(testFolder, 'bench-imports');

/**
 * Measures the processor time that a new process takes to import the bundle of each endpoint and of each function that
 * events invoke, compared to the DynamoDB client alone, bundled into one file.
 */
export async function run(): Promise<readonly BenchRow[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const secrets = await startChild<{ url: string }>('secret-server.ts', []);
  environment.AWS_ENDPOINT_URL_SECRETS_MANAGER = secrets.ready.url;
  try {
    await bundle({ functions: join(project, 'functions'), outdir: folder });
    const bare = await bareClient();
    const names = [...new Set(['authorize', ...routes.map((route) => route.function), ...EVENTS])];
    return names.map((name) => compare(name, join(folder, name, 'index.mjs'), bare));
  } finally {
    await secrets.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function compare(name: string, file: string, bare: string): BenchRow {
  const pairs = Array.from({ length: ROUNDS }, () => ({ own: importTime(file), base: importTime(bare) }));
  const own = median(pairs.map((pair) => pair.own));
  const base = median(pairs.map((pair) => pair.base));
  const isOfApi = !EVENTS.includes(name) || name === 'api-unknown';
  const limit = { target: '≤ 1.2 × the bare DynamoDB client', reached: ratioOf(own, base) <= 1.2 };
  return timeRow(`import of ${name}`, { own, base, ...(isOfApi && limit) });
}

/** The minimum that a function needs to read one item. */
async function bareClient(): Promise<string> {
  const contents =
    "import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';\nconst client = new DynamoDBClient({});\nexport const handler = () => client.send(new GetItemCommand({ TableName: 't', Key: {} }));\n";
  const outfile = join(folder, 'bare.mjs');
  const stdin = { contents, resolveDir: project };
  await build({
    stdin,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
  });
  return outfile;
}

const environment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  ...functionEnvironment,
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

function importTime(file: string): number {
  const script = `
    globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: { from: (stream) => stream } };
    const start = process.cpuUsage();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    const { user, system } = process.cpuUsage(start);
    console.log((user + system) / 1000);
    process.exit(0);
  `;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Number(printed);
}
