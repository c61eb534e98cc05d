import { UsageError } from '../errors.ts';

/** The arguments and options of a call. Options are named as they are typed, without the dashes before them. */
export class Arguments {
  readonly #positional: readonly unknown[];
  readonly #options: Readonly<Record<string, unknown>>;

  readonly #appPlace: number;

  /** `appPlace` is the place of the argument that names an application; -1 without one. */
  constructor(positional: readonly unknown[], options: Readonly<Record<string, unknown>>, appPlace = -1) {
    this.#appPlace = appPlace;
    this.#positional = positional;
    this.#options = options;
  }

  /** Returns the argument at a place; undefined when it was left out. */
  at(place: number): string | undefined {
    const value = this.#positional[place];
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the application that is named, by its position or by `--app`. Throws a `UsageError` for two of them. */
  app(): string | undefined {
    const [given, option] = [this.at(this.#appPlace), this.text('app')];
    if (given === undefined || option === undefined || given === option) return option ?? given;
    throw new UsageError(`One application can be named, not ${given} and ${option}.`);
  }

  /** Returns the values of the only argument, which may be several. */
  several(): readonly string[] {
    const value = this.#positional[0];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Returns the values of an option that takes several; empty when it was left out. */
  all(name: string): readonly string[] {
    const value = this.#options[keyOf(name)];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Returns whether an option without a value is set. */
  flag(name: string): boolean {
    return this.#options[keyOf(name)] === true;
  }

  /** Returns whether `--no-<name>` was left out. */
  unlessNo(name: string): boolean {
    return this.#options[keyOf(name)] !== false;
  }

  /** Returns the value of an option; undefined when it was left out. */
  text(name: string): string | undefined {
    const value = this.#options[keyOf(name)];
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the value of an option that takes a number, or the default. Throws a `UsageError`. */
  count(name: string, fallback: number, { min, max }: { readonly min: number; readonly max: number }): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(`--${name} takes a number from ${min} to ${max}.`);
  }
}

/** Commander keeps `--exit-status` as `exitStatus`. */
function keyOf(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
