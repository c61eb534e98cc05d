// The applications as a unit of their own of a service manager, beside that of the service: `node bin/run.mjs runner`.
import { runApplications } from '../lib/local/programs/runner.ts';

await runApplications(process.env);
