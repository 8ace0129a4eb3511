#include "common/sets.glsl"

in vec3 in_position;
in vec3 in_normal;
in vec2 in_uv;
in vec4 in_tint;

out vec3 world;
out vec3 normal;
out vec2 uv;
out float brightness;

// Overlays that lie on the ground compute the same position.
invariant gl_Position;

void main() {
    world = in_position;
    normal = in_normal;
    uv = in_uv;
    brightness = in_tint.r;
    gl_Position = view.view_projection * vec4(in_position, 1.0);
}
