import { BuildProgress } from '../../terminal/build-progress.ts';
import { Drawing, type DrawingOptions, type Screen } from '../../terminal/draw.ts';
import { isFinal } from '../../terminal/shown-entry.ts';
import type { Api } from '../service/api.ts';
import { type Entry, idOf, numberOf, shown } from '../service/entry.ts';

/** Draws deploys with the output of those builds that take long. */
export class EntryDrawing {
  readonly #client: Api;
  readonly #drawing: Drawing;
  readonly #builds = new Map<string, BuildProgress>();

  constructor(client: Api, screen: Screen, options: DrawingOptions) {
    this.#client = client;
    this.#drawing = new Drawing(screen, options);
  }

  /** Draws an entry as it is now. Resolves when the output of its build is printed, if that has ended. */
  async entry(entry: Entry): Promise<void> {
    const drawn = shown(entry);
    if (!drawn) return;
    const build = this.#builds.get(entry.id) ?? this.#build(entry);
    this.#drawing.entry(await build.seen(drawn));
    if (!isFinal(entry)) return;
    build.close();
    this.#builds.delete(entry.id);
  }

  /** Ends the output of the builds in progress. */
  close(): void {
    for (const build of this.#builds.values()) build.close();
  }

  #build(entry: Entry): BuildProgress {
    const number = numberOf(entry);
    const path = ['status', this.#client.service.user, 'changes', idOf(entry), 'build-log'];
    const build = new BuildProgress({
      output: (signal) => this.#client.lines({ path, query: { follow: true } }, signal),
      print: (line) => this.#drawing.line(`#${number} ${line}`),
      whole: `hooks build-log ${number}`,
    });
    this.#builds.set(entry.id, build);
    return build;
  }
}
