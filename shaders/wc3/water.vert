#include "common/sets.glsl"

in vec3 in_position;
in vec2 in_uv;
in vec4 in_color;

out vec3 world;
out vec2 uv;
out vec4 color;
out float view_depth;

// The depth prepass computes the same position.
invariant gl_Position;

void main() {
    world = in_position;
    uv = in_uv;
    color = in_color;
    gl_Position = view.view_projection * vec4(in_position, 1.0);
    view_depth = gl_Position.w;
}
