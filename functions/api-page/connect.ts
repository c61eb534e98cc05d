import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { pageFiles } from '../adapters/page/page-files.ts';
import type { PagePorts } from './serve.ts';

/** Returns the endpoint's ports. The files of the page lie beside the bundle of the function. */
export function connect(): PagePorts & { readonly publicUrl: string | null } {
  return {
    files: pageFiles(new URL('page/', import.meta.url)),
    signalsUrl: variable('SIGNALS_URL'),
    // The registry takes long to load, and only one of the routes needs it.
    setupTexts: async (service) => (await import('../adapters/senders/setup-texts.ts')).setupTexts(service),
    publicUrl: publicUrl(),
  };
}
