// A platform in a process of its own, for the tests that kill it. Prints its address.
import { startInProcess } from './in-process.ts';

const platform = await startInProcess({
  dataDir: process.env.DATA_DIR ?? '',
  serviceToken: process.env.SERVICE_TOKEN ?? '',
});
console.log(platform.url);
