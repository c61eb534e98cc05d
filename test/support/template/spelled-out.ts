/** At least as long as what CloudFormation puts for a reference to a resource: its name, address or ARN. */
const REFERENCE = 'x'.repeat(130);

/** A parameter of the template. */
interface TemplateParameter {
  readonly Type?: string;
  readonly Default?: string | number;
  readonly AllowedValues?: readonly string[];
  readonly MaxLength?: number;
}

export type TemplateParameters = Readonly<Record<string, TemplateParameter>>;

/**
 * Returns a part of the template with the longest values that its references may get, so that the length of what a
 * service receives can be compared with its limit. Of two alternatives it is the longer one.
 */
export function spelledOut(value: unknown, parameters: TemplateParameters): unknown {
  const inner = (part: unknown): unknown => spelledOut(part, parameters);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
  if (others.length > 0 || !(name in intrinsics)) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inner(part)]));
  }
  return intrinsics[name]?.(argument, { inner, parameters });
}

interface Context {
  readonly parameters: TemplateParameters;
  inner(part: unknown): unknown;
}

const intrinsics: Readonly<Record<string, (argument: unknown, context: Context) => unknown>> = {
  Ref: (id, { parameters }) => longestOf(parameters[String(id)]),
  'Fn::GetAtt': () => REFERENCE,
  'Fn::Join': (argument, { inner }) => {
    const [between, parts] = argument as readonly [string, unknown];
    return [inner(parts)].flat().map(String).join(between);
  },
  'Fn::If': (argument, { inner }) => {
    const [, ...both] = argument as readonly [string, unknown, unknown];
    return both.map(inner).reduce((longest, one) => (lengthOf(one) > lengthOf(longest) ? one : longest));
  },
  'Fn::Select': (argument, { inner }) => {
    const [index, list] = argument as readonly [number, unknown];
    const items = inner(list);
    // Of an attribute that is an ARN, a part is selected.
    return Array.isArray(items) ? (items[index] ?? '') : items;
  },
  'Fn::Split': (argument, { inner }) => {
    const [between, text] = argument as readonly [string, unknown];
    return String(inner(text)).split(between);
  },
  'Fn::Sub': (text) => String(text),
};

/** What a parameter may be at most; without a limit of its own, what CloudFormation allows. */
function longestOf(parameter: TemplateParameter | undefined): string {
  if (!parameter) return REFERENCE;
  const { Type, AllowedValues, MaxLength = 4096 } = parameter;
  if (Type === 'Number') return '9'.repeat(10);
  return AllowedValues?.reduce((a, b) => (b.length > a.length ? b : a)) ?? 'v'.repeat(MaxLength);
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
