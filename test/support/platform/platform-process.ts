// A platform in a process of its own, for the tests that kill it. Prints its address.
import { startInProcess } from './in-process.ts';
import { login } from './login.ts';

const platform = await startInProcess({
  dataDir: process.env.DATA_DIR ?? '',
  serviceToken: process.env.SERVICE_TOKEN ?? '',
});
await platform.ensureUser(login);
console.log(platform.url);
