import type { TestProject } from 'vitest/node';
import { openCluster } from '../world/cluster.ts';

/** As in use, where every answer waits for the disk: the other suites hurry. */
export default (project: TestProject): Promise<() => Promise<void>> => openCluster(project);
