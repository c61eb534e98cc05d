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
  const parsed = parseJson(variable('PLATFORM_PARTS'));
  const given = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const part = (name: keyof PlatformPartNames) => {
    const value = given[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`The environment variable PLATFORM_PARTS has no ${name}.`);
  };
  return {
    bucket: part('bucket'),
    project: part('project'),
    functionPrefix: part('functionPrefix'),
    appRole: part('appRole'),
    adapterLayer: part('adapterLayer'),
    sealingKey: part('sealingKey'),
  };
}
