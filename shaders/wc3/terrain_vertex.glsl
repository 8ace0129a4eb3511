// Ground and cliffs.
#include "common/sets.glsl"

in vec3 in_position;
in vec3 in_normal;
in vec2 in_uv;
in vec4 in_tint;

out vec3 world;
out vec3 normal;
out vec2 uv;
out vec3 tint;
out float view_depth;

// Layers of the ground are drawn over each other with equal depth.
invariant gl_Position;

void main() {
    world = in_position;
    normal = in_normal;
    uv = in_uv;
    tint = in_tint.rgb;
    gl_Position = view.view_projection * vec4(in_position, 1.0);
    view_depth = gl_Position.w;
}
