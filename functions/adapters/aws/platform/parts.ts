import { isObject, parseJson } from '../../../core/json.ts';
import { variable } from '../environment.ts';

/** The names of what the platform on AWS Lambda consists of, besides its table. */
export interface PlatformPartNames {
  readonly bucket: string;
  readonly project: string;
  readonly functionPrefix: string;
  readonly appRole: string;
  readonly adapterLayer: string;
  readonly sealingKey: string;
}

/** Returns those names. Throws, naming the variable, when one is missing. */
export function platformPartNames(): PlatformPartNames {
  const part = platformParts<keyof PlatformPartNames>();
  return {
    bucket: part('bucket'),
    project: part('project'),
    functionPrefix: part('functionPrefix'),
    appRole: part('appRole'),
    adapterLayer: part('adapterLayer'),
    sealingKey: part('sealingKey'),
  };
}

/** Returns a function that reads one of the parts of the platform. It throws, naming the variable, without the part. */
export function platformParts<Name extends string>(): (name: Name) => string {
  const parsed = parseJson(variable('PLATFORM_PARTS'));
  const given = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  return (name) => {
    const value = given[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`The environment variable PLATFORM_PARTS has no ${name}.`);
  };
}
