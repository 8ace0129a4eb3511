#include "terrain_vertex.glsl"
