import { createRegistry, type DescFile } from '@bufbuild/protobuf';
import { Health } from '#gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '#gen/grpc/reflection/v1/reflection_pb.ts';
import { services as ours } from '../access/table.ts';

/** Every service this server answers for. */
export const services = [...Object.values(ours), Health, ServerReflection];

const withImports = (file: DescFile): DescFile[] => [...file.dependencies.flatMap(withImports), file];

/** Every file that describes them, imported ones first, by name. */
export const files: ReadonlyMap<string, DescFile> = new Map(
  services.flatMap((service) => withImports(service.file)).map((file) => [`${file.name}.proto`, file]),
);

export const registry = createRegistry(...files.values());

/** A file and all it imports, imported ones first, each once. */
export const closure = (file: DescFile): DescFile[] => [...new Set(withImports(file))];

export const fieldNames = (message: string): string[] =>
  registry.getMessage(message)?.fields.map(({ name }) => name) ?? [];
