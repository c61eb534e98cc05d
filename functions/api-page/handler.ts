import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { pageFiles } from '../adapters/page/page-files.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { serve } from './serve.ts';

const signalsUrl = variable('SIGNALS_URL');

const ports = {
  // They lie beside the bundle of the function.
  files: pageFiles(new URL('page/', import.meta.url)),
  signalsUrl: () => signalsUrl,
  repositoriesUrl: '',
  // The registry takes long to load, and only one of the routes needs it.
  setupTexts: async (service: string) => (await import('../adapters/senders/setup-texts.ts')).setupTexts(service),
};

export const handler = streamTrigger(serve(ports), publicUrl());
