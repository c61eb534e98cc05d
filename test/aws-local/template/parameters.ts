import { OperatorError } from '../../../lib/files/errors.ts';
import { isRecord } from './intrinsics.ts';

/**
 * Returns the values of a template's parameters: the given one, else the default; list types are split at commas.
 *
 * @throws OperatorError for a name the template does not declare, and for a parameter without value and default
 */
export function readParameters(declared: Record<string, unknown>, given: Record<string, string>): Map<string, unknown> {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(declared, name)) throw new OperatorError(`parameter ${name} is not in the template`);
  }
  return new Map(
    Object.entries(declared).map(([name, declaration]) => {
      const { Type, Default } = isRecord(declaration) ? declaration : {};
      const value = given[name] ?? Default;
      if (value === undefined) throw new OperatorError(`parameter ${name} has no value and no default`);
      const isList = Type === 'CommaDelimitedList' || String(Type).startsWith('List<');
      return [
        name,
        isList
          ? String(value)
              .split(',')
              .map((item) => item.trim())
          : String(value),
      ];
    }),
  );
}
