import type { FunctionConfiguration, UpdateFunctionConfigurationRequest } from '@aws-sdk/client-lambda';
import { ShapeError } from '../wire/shapes.ts';
import { type FunctionRecord, type FunctionSettings, functionArn, invalid, type Revision } from './function-store.ts';

/** The fields of a request that configure a function. */
export type Configured = Pick<
  UpdateFunctionConfigurationRequest,
  'Role' | 'Runtime' | 'Handler' | 'Description' | 'Timeout' | 'MemorySize' | 'Layers' | 'Environment' | 'LoggingConfig'
>;

const MAX_ENVIRONMENT_BYTES = 4096;
const LIMITS = { timeout: [1, 900], memory: [128, 10_240] } as const;
/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime */
const RESERVED =
  /^(?:_HANDLER|_X_AMZN_TRACE_ID|AWS_(?:DEFAULT_)?REGION|AWS_EXECUTION_ENV|AWS_LAMBDA_(?:FUNCTION_(?:NAME|MEMORY_SIZE|VERSION)|INITIALIZATION_TYPE|LOG_(?:GROUP|STREAM)_NAME|RUNTIME_API)|AWS_ACCESS_KEY(?:_ID)?|AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|LAMBDA_(?:TASK_ROOT|RUNTIME_DIR))$/;
const ADAPTER = /^arn:aws:lambda:[^:]+:\d{12}:layer:LambdaAdapterLayer(X86|Arm64):\d+$/;

/**
 * Returns settings with what a request changes of them, checked as Lambda does.
 *
 * @param roles those that Lambda may assume, by their ARNs
 * @throws ServiceError InvalidParameterValueException; ShapeError for a function that cannot run on this machine
 */
export function changedSettings(
  known: FunctionSettings,
  { Role, Runtime, Handler, Description, Timeout, MemorySize, Layers, Environment, LoggingConfig }: Configured,
  roles: ReadonlySet<string>,
): FunctionSettings {
  const next: FunctionSettings = {
    ...known,
    role: Role ?? known.role,
    runtime: Runtime ?? known.runtime,
    handler: Handler ?? known.handler,
    description: Description ?? known.description,
    timeoutSeconds: Timeout ?? known.timeoutSeconds,
    memoryMb: MemorySize ?? known.memoryMb,
    layers: Layers ?? known.layers,
    variables: Environment ? (Environment.Variables ?? {}) : known.variables,
    logGroup: LoggingConfig?.LogGroup ?? known.logGroup,
  };
  checkRole(next.role, roles);
  checkRange('timeout', next.timeoutSeconds);
  checkRange('memory', next.memoryMb);
  checkVariables(next.variables);
  checkContract(next);
  return next;
}

function checkRole(role: string, roles: ReadonlySet<string>): void {
  if (!roles.has(role)) throw invalid('The role defined for the function cannot be assumed by Lambda.');
}

function checkRange(what: keyof typeof LIMITS, value: number): void {
  const [least, most] = LIMITS[what];
  if (!Number.isInteger(value) || value < least || value > most) {
    throw invalid(`Value ${value} of ${what} failed to satisfy constraint: must be between ${least} and ${most}`);
  }
}

function checkVariables(variables: Readonly<Record<string, string>>): void {
  const names = Object.keys(variables);
  const before = 'Lambda was unable to configure your environment variables because the environment variables you have';
  const reserved = names.filter((name) => RESERVED.test(name));
  if (reserved.length > 0) {
    throw invalid(
      `${before} provided contains reserved keys that are currently not supported for modification. Reserved keys used in this request: ${reserved.join(', ')}`,
    );
  }
  const odd = names.find((name) => !/^[a-zA-Z]\w+$/.test(name));
  if (odd !== undefined) throw invalid(`The name ${odd} of an environment variable must match [a-zA-Z]([a-zA-Z0-9_])+`);
  if (Buffer.byteLength(JSON.stringify(variables)) > MAX_ENVIRONMENT_BYTES) {
    throw invalid(`${before} provided exceeded the 4KB limit. String measured: ${JSON.stringify(variables).length}`);
  }
}

/** Whether a function is a handler of Node's runtime, and not behind the web adapter; it runs by asynchronous calls. */
export function hasHandler({ handler, layers, variables }: FunctionSettings): boolean {
  return layers.length === 0 && !('AWS_LAMBDA_EXEC_WRAPPER' in variables) && /^\w+\.(?!sh$)\w+$/.test(handler);
}

/** Only the contract of the web adapter runs here, a script that starts a server, and handlers of Node. */
function checkContract(settings: FunctionSettings): void {
  const { runtime, layers, variables, architecture } = settings;
  if (!/^(?:nodejs\d+\.x|provided\.al\w+)$/.test(runtime))
    throw new ShapeError(`the runtime ${runtime} is not emulated`);
  if (hasHandler(settings) && runtime.startsWith('nodejs')) return;
  const [, adapter] = layers.map((layer) => ADAPTER.exec(layer)).find(Boolean) ?? [];
  if (adapter === undefined || variables.AWS_LAMBDA_EXEC_WRAPPER !== '/opt/bootstrap') {
    throw new ShapeError(
      'only functions behind the Lambda Web Adapter run on this machine: a layer LambdaAdapterLayer… and AWS_LAMBDA_EXEC_WRAPPER=/opt/bootstrap',
    );
  }
  if (variables.AWS_LWA_INVOKE_MODE !== 'response_stream') {
    throw new ShapeError('the Lambda Web Adapter runs with AWS_LWA_INVOKE_MODE=response_stream only');
  }
  if (layers.length > 1) throw new ShapeError('other layers than the Lambda Web Adapter are not emulated');
  if ((adapter === 'Arm64') !== (architecture === 'arm64')) {
    throw new ShapeError(`the layer LambdaAdapterLayer${adapter} does not run on ${architecture}`);
  }
}

/** Returns a version of a function in Lambda's words: what the callers of this machine read of it. */
export function describe(
  record: FunctionRecord,
  revision: Revision,
  version: string,
  isQualified: boolean,
): FunctionConfiguration {
  const { settings } = revision;
  const isBusy = Date.now() < revision.busyUntil;
  return {
    FunctionName: record.name,
    FunctionArn: functionArn(record.name, isQualified ? version : undefined),
    Version: version,
    Description: settings.description,
    RevisionId: revision.revisionId,
    State: isBusy && revision.isNew ? 'Pending' : 'Active',
    LastUpdateStatus: isBusy ? 'InProgress' : 'Successful',
  };
}
