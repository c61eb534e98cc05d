import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../../lib/files/errors.ts';
import { CREDENTIALS, REGION } from '../clients.ts';
import type { Principal } from '../permissions/guard.ts';
import { isRecord } from '../template/intrinsics.ts';
import type { Resource } from '../template/template.ts';

/** The settings of one function of the template. */
export interface FunctionSettings {
  readonly name: string;
  /** The module to load, and its export. */
  readonly bundle: string;
  readonly exportName: string;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The key with which a function signs its requests. */
export type Credentials = Pick<Principal, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>;

/**
 * Reads an `AWS::Lambda::Function`: with Lambda's default of 3 s.
 *
 * @param endpoints the variables with the addresses of the emulators
 * @param credentials default: those of the operator
 * @throws OperatorError when the function has no bundle in the assembly, or needs another runtime than Node.js
 */
export function functionSettings(
  resource: Resource,
  endpoints: Readonly<Record<string, string>>,
  credentials: Credentials = CREDENTIALS,
): FunctionSettings {
  const { properties, logicalId, assetPath } = resource;
  if (assetPath === undefined)
    throw new OperatorError(`function ${logicalId} has no bundle among the assets of the synthesis`);
  if (!String(properties.Runtime ?? 'nodejs').startsWith('nodejs'))
    throw new OperatorError(`function ${logicalId}: only Node.js functions run locally, not ${properties.Runtime}`);
  const name = functionName(resource);
  const [module, exportName] = splitHandler(String(properties.Handler), logicalId);
  return {
    name,
    bundle: moduleFile(join(assetPath, module), logicalId),
    exportName,
    timeoutMs: Number(properties.Timeout ?? 3) * 1000,
    environment: {
      ...lambdaVariables(name),
      ...credentialVariables(credentials),
      ...endpoints,
      ...declaredVariables(properties.Environment),
    },
  };
}

/** Returns the name of a function: `FunctionName`, else the logical id. */
export function functionName({ properties, logicalId }: Resource): string {
  return typeof properties.FunctionName === 'string' ? properties.FunctionName : logicalId;
}

/** Returns the name of a function and of the log group that it writes to. */
export function logOf(resource: Resource): { readonly name: string; readonly logGroup: string } {
  const name = functionName(resource);
  return { name, logGroup: logGroupOf(resource.properties.LoggingConfig) ?? `/aws/lambda/${name}` };
}

function splitHandler(handler: string, logicalId: string): [string, string] {
  const [module, exportName, ...rest] = handler.split('.');
  if (module && exportName && rest.length === 0) return [module, exportName];
  throw new OperatorError(`function ${logicalId}: the handler "${handler}" is not of the form module.export`);
}

/** The file of a module; of the forms that Lambda knows, only ESM runs here. */
function moduleFile(path: string, logicalId: string): string {
  if (existsSync(`${path}.mjs`)) return `${path}.mjs`;
  throw new OperatorError(`function ${logicalId}: there is no ${path}.mjs`);
}

/** Variables that Lambda itself sets: https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
function lambdaVariables(name: string): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    // The SDK's advice to update Node.js does not apply to Lambda, which has a newer one.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
  };
}

export function credentialVariables({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: Credentials): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken !== undefined && { AWS_SESSION_TOKEN: sessionToken }),
  };
}

function declaredVariables(environment: unknown): Record<string, string> {
  const variables = isRecord(environment) && isRecord(environment.Variables) ? environment.Variables : {};
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
}

function logGroupOf(logging: unknown): string | undefined {
  return isRecord(logging) && typeof logging.LogGroup === 'string' ? logging.LogGroup : undefined;
}
