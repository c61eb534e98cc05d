import { OperatorError } from '../../../lib/files/errors.ts';
import { ACCOUNT, REGION } from '../clients.ts';
import type { Assembly } from './assembly.ts';
import { isRecord, NO_VALUE, recordOf, resolve, resolveCondition, type Scope } from './intrinsics.ts';
import { attribute, type Declared, reference } from './physical-ids.ts';
import type { Resource } from './template.ts';

const PSEUDO_PARAMETERS: Readonly<Record<string, unknown>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::NoValue': NO_VALUE,
};

/** The template of one stack, read resource by resource; every intrinsic function resolves against it. */
export class Stack implements Scope {
  readonly #assembly: Assembly;
  readonly #values: LocalValues;
  readonly #parameters: ReadonlyMap<string, string>;

  constructor(assembly: Assembly, parameters: Record<string, string>, values: LocalValues) {
    this.#assembly = assembly;
    this.#values = values;
    this.#parameters = readParameters(this.#section('Parameters'), parameters);
  }

  logicalIds(): string[] {
    return Object.keys(this.#section('Resources')).filter((logicalId) => {
      const { Condition: name } = this.#declaration(logicalId);
      return typeof name !== 'string' || this.condition(name);
    });
  }

  resource(logicalId: string): Resource {
    const declaration = this.#declaration(logicalId);
    const assetPath = this.#assetPath(logicalId);
    let properties: Record<string, unknown> | undefined;
    const read = (): Record<string, unknown> => {
      const resolved = this.#named(`resource ${logicalId}`, declaration.Properties ?? {});
      return recordOf(resolved);
    };
    return {
      logicalId,
      type: String(declaration.Type),
      get properties() {
        properties ??= read();
        return properties;
      },
      ...(assetPath === undefined ? {} : { assetPath }),
    };
  }

  outputs(): Record<string, string> {
    const kept = Object.entries(this.#section('Outputs')).filter(([, output]) => {
      const name = isRecord(output) ? output.Condition : undefined;
      return typeof name !== 'string' || this.condition(name);
    });
    return Object.fromEntries(
      kept.map(([name, output]) => [name, String(this.#named(`output ${name}`, isRecord(output) ? output.Value : ''))]),
    );
  }

  ref(name: string): unknown {
    if (name === 'AWS::StackName') return this.#assembly.stackName;
    if (Object.hasOwn(PSEUDO_PARAMETERS, name)) return PSEUDO_PARAMETERS[name];
    if (this.#parameters.has(name)) return this.#parameters.get(name);
    return reference(this.#declared(name, 'Ref'), this.#values);
  }

  getAtt(logicalId: string, name: string): unknown {
    const declared = this.#declared(logicalId, 'Fn::GetAtt');
    const value = attribute(declared, name, this.#values);
    if (value !== undefined) return value;
    throw new OperatorError(`Fn::GetAtt ${logicalId}.${name}: ${declared.type} has no such attribute locally`);
  }

  condition(name: string): boolean {
    const conditions = this.#section('Conditions');
    if (!Object.hasOwn(conditions, name)) throw new OperatorError(`condition ${name} is not in the template`);
    const elsewhere = this.#values.conditions?.[name];
    return elsewhere ?? resolveCondition(conditions[name], this);
  }

  /** Returns a resource whose properties are resolved one by one: its name must not depend on the others. */
  #declared(logicalId: string, by: string): Declared {
    if (!Object.hasOwn(this.#section('Resources'), logicalId)) {
      throw new OperatorError(`${by} ${logicalId}: no such resource or parameter in the template`);
    }
    const { Type, Properties } = this.#declaration(logicalId);
    const text = (property: string): string | undefined => {
      const value = isRecord(Properties) ? Properties[property] : undefined;
      if (value === undefined) return undefined;
      const resolved = resolve(value, this);
      return resolved === NO_VALUE ? undefined : String(resolved);
    };
    return { logicalId, type: String(Type), text };
  }

  #assetPath(logicalId: string): string | undefined {
    const { Properties } = this.#declaration(logicalId);
    if (!isRecord(Properties)) return undefined;
    const { Code, Source } = Properties;
    // A function has the key of its code, a project of CodeBuild an address that ends with the key of its source.
    const place = JSON.stringify([Code, isRecord(Source) ? Source.Location : undefined]);
    return [...this.#assembly.assets].find(([key]) => place.includes(key))?.[1];
  }

  #declaration(logicalId: string): Record<string, unknown> {
    const declaration = this.#section('Resources')[logicalId];
    return recordOf(declaration);
  }

  #named(what: string, value: unknown): unknown {
    try {
      return localAddresses(resolve(value, this), this.#values.apiHosts ?? {});
    } catch (cause) {
      if (cause instanceof OperatorError) throw new OperatorError(`${what}: ${cause.message}`, { cause });
      throw cause;
    }
  }

  #section(name: string): Record<string, unknown> {
    const section = this.#assembly.template[name];
    return recordOf(section);
  }
}

/**
 * Returns the values of a template's parameters: the given one, else the default.
 *
 * @throws OperatorError for a name the template does not declare, and for a parameter without value and default
 */
function readParameters(declared: Record<string, unknown>, given: Record<string, string>): Map<string, string> {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(declared, name)) throw new OperatorError(`parameter ${name} is not in the template`);
  }
  return new Map(
    Object.entries(declared).map(([name, declaration]) => {
      const value = given[name] ?? recordOf(declaration).Default;
      if (value === undefined) throw new OperatorError(`parameter ${name} has no value and no default`);
      return [name, String(value)];
    }),
  );
}

/** Local values that replace those of AWS. */
export interface LocalValues {
  /** Origin of the SQS emulator; queue URLs are built on it. */
  readonly sqsEndpoint: string;
  /**
   * `host:port` by logical id of an API (REST or WebSocket). An address `https://<api>.execute-api.…/<stage>` anywhere
   * in the template becomes `http://host:port` (`wss` becomes `ws`): local paths have no stage.
   */
  readonly apiHosts?: Readonly<Record<string, string>>;
  /** Values of conditions, by logical id, that are not those of this region. */
  readonly conditions?: Readonly<Record<string, boolean>> | undefined;
}

const API_ADDRESS = /(https|wss):\/\/([A-Za-z0-9]+)\.execute-api\.[a-z0-9-]+\.amazonaws\.com(?:\/[\w-]+)?/g;

/**
 * Returns a resolved value in which the public addresses of the stack's own APIs are replaced by local ones. The first
 * path segment of such an address is always the stage, which local paths do not have.
 *
 * @param hosts `host:port` by logical id of the API; the address of an API that is not listed is kept
 */
export function localAddresses(value: unknown, hosts: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replace(API_ADDRESS, (address, scheme: string, api: string) => {
      const host = hosts[api];
      return host === undefined ? address : `${scheme === 'wss' ? 'ws' : 'http'}://${host}`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => localAddresses(item, hosts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, localAddresses(item, hosts)]));
}
