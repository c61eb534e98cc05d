import { OperatorError } from '../../../lib/files/errors.ts';

/** The parts of the template that intrinsic functions read. Each method throws for an unknown name. */
export interface Scope {
  ref(logicalId: string): unknown;
  getAtt(logicalId: string, attribute: string): unknown;
  condition(name: string): boolean;
}

/** The value of `Ref: AWS::NoValue`: a property or list item with this value is omitted. */
export const NO_VALUE: unique symbol = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, scope: Scope) => unknown;

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope) => scope.ref(string(argument, 'Ref')),
  'Fn::GetAtt': getAtt,
  'Fn::Sub': sub,
  'Fn::Join': join,
  'Fn::Select': select,
  'Fn::Split': split,
  'Fn::If': choose,
  'Fn::Equals': equals,
  'Fn::Not': (argument, scope) => !every(argument, 'Fn::Not', scope)[0],
  'Fn::And': (argument, scope) => every(argument, 'Fn::And', scope).every(Boolean),
  'Fn::Or': (argument, scope) => every(argument, 'Fn::Or', scope).some(Boolean),
};

/**
 * Returns a template value with every intrinsic function replaced by its value. Objects and lists are copied; a
 * property or item that resolves to `AWS::NoValue` is omitted.
 *
 * @throws OperatorError for an unknown intrinsic, or one with invalid arguments
 */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope)).filter((item) => item !== NO_VALUE);
  if (!isRecord(value)) return value;
  const [only, ...others] = Object.keys(value);
  if (only !== undefined && others.length === 0 && (only === 'Ref' || only.startsWith('Fn::'))) {
    const intrinsic = INTRINSICS[only];
    if (!intrinsic) throw new OperatorError(`${only} is not a supported intrinsic function`);
    return intrinsic(value[only], scope);
  }
  const properties = Object.entries(value).map(([key, item]) => [key, resolve(item, scope)] as const);
  return Object.fromEntries(properties.filter(([, item]) => item !== NO_VALUE));
}

/** Returns whether a condition is true. `Condition: name` is an intrinsic only here; in a policy it is a property. */
export function resolveCondition(value: unknown, scope: Scope): boolean {
  if (isRecord(value) && typeof value.Condition === 'string') return scope.condition(value.Condition);
  return resolve(value, scope) === true;
}

/** Narrows parsed JSON to an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object of parsed JSON; an empty one for anything else. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Returns a list of parsed JSON; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function getAtt(argument: unknown, scope: Scope): unknown {
  const [logicalId = '', attribute = ''] = list(argument, 'Fn::GetAtt').map((part) => string(part, 'Fn::GetAtt'));
  return scope.getAtt(logicalId, attribute);
}

/** Only names of parameters and resources are in such texts. */
function sub(argument: unknown, scope: Scope): unknown {
  return string(argument, 'Fn::Sub').replace(/\$\{([^}]+)\}/g, (_, name: string) => string(scope.ref(name), 'Fn::Sub'));
}

function join(argument: unknown, scope: Scope): string {
  const [separator, parts] = list(argument, 'Fn::Join');
  const strings = list(resolve(parts, scope), 'Fn::Join').map((part) => string(part, 'Fn::Join'));
  return strings.join(string(separator, 'Fn::Join'));
}

function select(argument: unknown, scope: Scope): unknown {
  const [index, from] = list(argument, 'Fn::Select');
  const items = list(resolve(from, scope), 'Fn::Select');
  const position = Number(resolve(index, scope));
  if (!(position in items)) throw new OperatorError(`Fn::Select asks for item ${position} of ${items.length}`);
  return items[position];
}

function split(argument: unknown, scope: Scope): string[] {
  const [separator, text] = list(argument, 'Fn::Split');
  return string(resolve(text, scope), 'Fn::Split').split(string(separator, 'Fn::Split'));
}

function choose(argument: unknown, scope: Scope): unknown {
  const [name, then, otherwise] = list(argument, 'Fn::If');
  return resolve(scope.condition(string(name, 'Fn::If')) ? then : otherwise, scope);
}

function equals(argument: unknown, scope: Scope): boolean {
  const [left, right] = list(argument, 'Fn::Equals').map((side) => JSON.stringify(resolve(side, scope)));
  return left === right;
}

function every(argument: unknown, where: string, scope: Scope): boolean[] {
  return list(argument, where).map((condition) => resolveCondition(condition, scope));
}

function list(value: unknown, where: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new OperatorError(`${where} needs a list and got ${JSON.stringify(value)}`);
}

function string(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new OperatorError(`${where} needs a string and got ${JSON.stringify(value)}`);
}
